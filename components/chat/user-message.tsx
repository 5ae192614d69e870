import { Pencil } from 'lucide'
import { useTranslations } from 'next-intl'
import { memo, useContext, useRef, useState } from 'react'
import { CopyButton } from '@/components/ui/copy-button'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { documentsOf, type Message, messageText, picturesOf } from '@/lib/local/domain/conversation'
import { EditForm } from './edit-form'
import { EditedPrice } from './edited-price'
import styles from './message.module.css'
import { MessageTime } from './message-time'
import { SentDocument } from './sent-document'
import { StoredPicture } from './stored-picture'
import type { TurnActions } from './turn-actions'
import { MoreActions } from './turn-controls'
import { TurnVersions } from './turn-versions'
import turnStyles from './turns.module.css'
import { HasButtons } from './use-near'
import { UserText } from './user-text'

interface UserMessageProps {
  message: Message
  /** All versions of this message; null if there is only one. */
  versions: readonly string[] | null
  /** Null while an answer is in progress. */
  actions: TurnActions | null
}

export const UserMessage = memo(function UserMessage(props: UserMessageProps) {
  const { message, versions, actions } = props
  const t = useTranslations('chat')
  const common = useTranslations('common')
  const hasButtons = useContext(HasButtons)
  const [isEditing, setEditing] = useState(false)
  const articleRef = useRef<HTMLElement>(null)
  const { id } = message
  const text = messageText(message)
  return (
    <article
      ref={articleRef}
      className={styles.user}
      aria-label={t('yourMessage')}
      tabIndex={-1}
      data-message={id}
    >
      {picturesOf(message).map((url, index, { length: count }) => (
        <StoredPicture
          key={url}
          url={url}
          alt={count > 1 ? t('pictureOf', { number: index + 1, count }) : t('attachedPicture')}
        />
      ))}
      {documentsOf(message).map(document => (
        <SentDocument key={document.url} document={document} />
      ))}
      {isEditing && actions && id !== undefined ? (
        <EditForm
          id={id}
          text={text}
          submitLabel={t('send')}
          mayBeEmpty={typeof message.content !== 'string'}
          about={written => <EditedPrice questionId={id} text={written} actions={actions} />}
          // The new question replaces this form, unless its price is declined.
          onSubmit={next => actions.askEdited(id, next)}
          onCancel={() => {
            setEditing(false)
            articleRef.current?.focus({ preventScroll: true })
          }}
        />
      ) : (
        <>
          {text !== '' && <UserText text={text} />}
          {/* Rendered before its content, so that nothing moves when an answer ends. */}
          <footer className={turnStyles.footer}>
            <MessageTime message={message} />
            {actions && id !== undefined && hasButtons && (
              <>
                {text !== '' && <CopyButton text={text} label={t('copyMessage')} size="small" iconOnly />}
                <IconButton
                  size="small"
                  label={common('edit')}
                  icon={<Icon icon={Pencil} size={16} />}
                  onClick={() => setEditing(true)}
                />
                <MoreActions messageId={id} text={text} conversationId={actions.conversationId} />
                {versions && (
                  <TurnVersions conversationId={actions.conversationId} versions={versions} shownId={id} />
                )}
              </>
            )}
          </footer>
        </>
      )}
    </article>
  )
})
