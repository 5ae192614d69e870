import { ChevronLeft, ChevronRight } from 'lucide'
import { useTranslations } from 'next-intl'
import { focusAfterRender } from '@/components/ui/focus'
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

/** Where a message is shown. */
export function messageSelector(messageId: string): string {
  return `[data-message=${JSON.stringify(messageId)}]`
}

/** Which of several versions of a turn is shown, and the way to the others. */
export function TurnVersions({ versions, shownId, onShow }: TurnVersionsProps) {
  const t = useTranslations('chat')
  const number = versions.indexOf(shownId) + 1
  const versionOf = t('versionOf', { number, count: versions.length })
  const show = (id: string | undefined) => {
    if (id === undefined) return
    onShow(id)
    // It has the same buttons as the one that has gone; at the end of the row only the other one can be used.
    const message = messageSelector(id)
    const pressed = document.activeElement?.getAttribute('aria-label') ?? ''
    focusAfterRender(
      `${message} [data-versions] > [aria-label=${JSON.stringify(pressed)}]:enabled`,
      `${message} [data-versions] > :enabled`,
      message,
    )
  }
  return (
    // By this name it is heard which one has come: the focus moves from the group of one to that of the other.
    <span className={styles.versions} role="group" aria-label={versionOf} data-versions>
      <IconButton
        size="small"
        label={t('previousVersion')}
        icon={<Icon icon={ChevronLeft} size={16} />}
        disabled={number <= 1}
        onClick={() => show(versions[number - 2])}
      />
      <span className={styles.count}>
        <VisuallyHidden>{versionOf}</VisuallyHidden>
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
