import { ChevronLeft, ChevronRight } from 'lucide'
import { useTranslations } from 'next-intl'
import { focusAfterRender } from '@/components/ui/focus'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { VisuallyHidden } from '@/components/ui/visually-hidden'
import { showVersion } from './edit-turns'
import styles from './turns.module.css'

interface TurnVersionsProps {
  conversationId: string
  /** The ids of all versions, in the order of their creation. */
  versions: readonly string[]
  shownId: string
}

/** Selects the element of a message. */
export function messageSelector(messageId: string): string {
  return `[data-message=${JSON.stringify(messageId)}]`
}

/** Shows which version of a turn is visible, and switches to the others. */
export function TurnVersions({ conversationId, versions, shownId }: TurnVersionsProps) {
  const t = useTranslations('chat')
  const number = versions.indexOf(shownId) + 1
  const versionOf = t('versionOf', { number, count: versions.length })
  const show = (id: string | undefined) => {
    if (id === undefined) return
    showVersion(conversationId, id)
    // The new version has the same buttons; at the first or last version, only one of them is enabled.
    const message = messageSelector(id)
    const pressed = document.activeElement?.getAttribute('aria-label') ?? ''
    focusAfterRender(
      `${message} [data-versions] > [aria-label=${JSON.stringify(pressed)}]:enabled`,
      `${message} [data-versions] > :enabled`,
      message,
    )
  }
  return (
    // The name announces the new version, since the focus moves from one group to the other.
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
