import { type Message, messageText } from '@/lib/local/domain/conversation'
import { wholeMessages } from '@/lib/local/domain/whole-answers'
import messageStyles from './message.module.css'
import styles from './message-list.module.css'

/** Rendered while the list's code loads: the same words in the same place, as plain text. */
export function PlainMessages({ messages }: { messages: readonly Message[] }) {
  return (
    <div className={styles.frame}>
      <div
        className={styles.scroller}
        ref={scroller => {
          if (scroller) scroller.scrollTop = scroller.scrollHeight
        }}
      >
        <div className={styles.content}>
          {wholeMessages(messages).map(({ message }, index) => {
            const text = messageText(message)
            if (text === '' || message.role === 'system') return null
            const isMine = message.role === 'user'
            return (
              <div
                key={message.id ?? `message-${index}`}
                className={isMine ? messageStyles.user : messageStyles.assistant}
              >
                <p dir="auto" className={isMine ? messageStyles.userText : messageStyles.plainText}>
                  {text}
                </p>
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}
