import { useTranslations } from 'next-intl'
import { memo } from 'react'
import { documentsOf, type Message, messageText, picturesOf } from '@/lib/local/domain/conversation'
import styles from './message.module.css'
import { SentDocument } from './sent-document'
import { StoredPicture } from './stored-picture'

export const UserMessage = memo(function UserMessage({ message }: { message: Message }) {
  const t = useTranslations('chat')
  const text = messageText(message)
  return (
    <article className={styles.user} aria-label={t('yourMessage')}>
      {picturesOf(message).map(url => (
        <StoredPicture key={url} url={url} alt={t('attachedPicture')} />
      ))}
      {documentsOf(message).map(document => (
        <SentDocument key={document.url} document={document} />
      ))}
      {text !== '' && <p className={styles.userText}>{text}</p>}
    </article>
  )
})
