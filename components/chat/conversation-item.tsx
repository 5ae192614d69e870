import { Pencil, Trash } from 'lucide'
import { useLocale, useTranslations } from 'next-intl'
import { Fragment, type KeyboardEvent, type MouseEvent, useId, useState } from 'react'
import { useGoToChat } from '@/components/shell/use-new-chat'
import { focusAfterRender, focusMessageBox } from '@/components/ui/focus'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { chatAddress } from '@/lib/i18n/chat-address'
import { getPathname } from '@/lib/i18n/locale-path'
import type { HistoryEntry } from '@/lib/local/archive/history-entry'
import { splitAtHits } from '@/lib/local/archive/search-history'
import { noticeStore } from '@/lib/local/notice/notice-store'
import styles from './conversation-list.module.css'
import { deleteConversation, linkSelector } from './delete-conversation'
import { openConversation } from './open-conversation'
import { RenameForm } from './rename-form'

interface ConversationItemProps {
  entry: HistoryEntry
  /** The search query, and the text around the place where it was found. */
  found?: { query: string; excerpt: string }
  isSelected: boolean
  /** The one row of the list that Tab reaches. */
  isTabStop: boolean
  onOpened?: () => void
}

/** The links of the list that contains this element, from top to bottom. */
export function conversationLinks(inside: Element): HTMLElement[] {
  const list = inside.closest('[data-conversations]')
  return [...(list?.querySelectorAll<HTMLElement>('[data-conversation] > a') ?? [])]
}

export function ConversationItem(props: ConversationItemProps) {
  const { entry, found, isSelected, isTabStop, onOpened } = props
  const t = useTranslations('conversations')
  const common = useTranslations('common')
  const [isRenaming, setRenaming] = useState(false)
  const titleId = useId()
  const locale = useLocale()
  const goToChat = useGoToChat()

  const open = async (event: MouseEvent) => {
    // With a modifier key, the browser opens the address elsewhere.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    try {
      await openConversation(entry.id, found?.query)
    } catch (error) {
      reportError(error)
      noticeStore.show('error', t('notOpened'))
      return
    }
    goToChat()
    onOpened?.()
    focusMessageBox()
  }
  const remove = (from: Element) => {
    focusNeighbour(from, entry.id)
    void deleteConversation(entry.id, { deleted: t('deleted'), undo: common('undo') })
  }
  const onKeyDown = (event: KeyboardEvent<HTMLAnchorElement>) => {
    // On a Mac the key labelled Delete is Backspace; with Command it deletes.
    const isDelete = event.key === 'Delete' || (event.key === 'Backspace' && event.metaKey)
    if (isDelete) remove(event.currentTarget)
    else if (event.key === 'F2') setRenaming(true)
    else return
    event.preventDefault()
  }

  if (isRenaming) {
    return (
      <li className={styles.item} data-conversation={entry.id}>
        <RenameForm
          id={entry.id}
          title={entry.title}
          onDone={byKey => {
            setRenaming(false)
            if (byKey) focusAfterRender(linkSelector(entry.id))
          }}
        />
      </li>
    )
  }
  return (
    <li className={styles.item} data-conversation={entry.id}>
      <a
        tabIndex={isTabStop ? 0 : -1}
        aria-keyshortcuts="F2 Delete"
        href={chatAddress(getPathname({ locale, href: '/' }), entry.id)}
        className={styles.open}
        aria-current={isSelected ? 'page' : undefined}
        onClick={event => void open(event)}
        onKeyDown={onKeyDown}
      >
        <span id={titleId} dir="auto" className={styles.title}>
          {found ? (
            <Hits text={entry.title || t('untitled')} query={found.query} />
          ) : (
            entry.title || t('untitled')
          )}
        </span>
        {found?.excerpt && (
          <span dir="auto" className={styles.excerpt}>
            <Hits text={found.excerpt} query={found.query} />
          </span>
        )}
      </a>
      <span className={styles.actions}>
        <IconButton
          size="small"
          label={t('rename')}
          tabIndex={-1}
          aria-describedby={titleId}
          icon={<Icon icon={Pencil} size={16} />}
          onClick={() => setRenaming(true)}
        />
        <IconButton
          size="small"
          label={common('delete')}
          tabIndex={-1}
          aria-describedby={titleId}
          icon={<Icon icon={Trash} size={16} />}
          onClick={event => remove(event.currentTarget)}
        />
      </span>
    </li>
  )
}

/** A text with the words of the query marked. */
function Hits({ text, query }: { text: string; query: string }) {
  let at = 0
  return splitAtHits(text, query).map(({ text: piece, isHit }) => {
    const key = at
    at += piece.length
    return isHit ? <mark key={key}>{piece}</mark> : <Fragment key={key}>{piece}</Fragment>
  })
}

/** When a row is deleted, the next row gets the focus, or else the one before it. */
function focusNeighbour(from: Element, id: string): void {
  const links = conversationLinks(from)
  const line = links.findIndex(link => link.matches(linkSelector(id)))
  const neighbour = links[line + 1] ?? links[line - 1]
  if (neighbour) neighbour.focus()
  else if (!from.closest('dialog')) focusMessageBox()
  else focusAfterRender('dialog[open] button')
}
