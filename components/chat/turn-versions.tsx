import { ChevronLeft, ChevronRight } from 'lucide'
import { useTranslations } from 'next-intl'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { VisuallyHidden } from '@/components/ui/visually-hidden'
import styles from './turns.module.css'

interface TurnVersionsProps {
  /** All that stand in this place, in the order of their making. */
  versions: readonly string[]
  shownId: string
  onShow: (messageId: string) => void
}

/** Which of several versions of a turn is shown, and the way to the others. */
export function TurnVersions({ versions, shownId, onShow }: TurnVersionsProps) {
  const t = useTranslations('chat')
  const number = versions.indexOf(shownId) + 1
  const show = (id: string | undefined) => id !== undefined && onShow(id)
  return (
    <span className={styles.versions} role="group" aria-label={t('versions')} data-versions>
      <IconButton
        size="small"
        label={t('previousVersion')}
        icon={<Icon icon={ChevronLeft} size={16} />}
        disabled={number <= 1}
        onClick={() => show(versions[number - 2])}
      />
      <span className={styles.count}>
        <VisuallyHidden>{t('versionOf', { number, count: versions.length })}</VisuallyHidden>
        <span aria-hidden="true">
          {number}/{versions.length}
        </span>
      </span>
      <IconButton
        size="small"
        label={t('nextVersion')}
        icon={<Icon icon={ChevronRight} size={16} />}
        disabled={number >= versions.length}
        onClick={() => show(versions[number])}
      />
    </span>
  )
}
