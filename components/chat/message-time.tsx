import { useLocale } from 'next-intl'
import { dateFormat } from '@/components/ui/date-format'
import { messageDate } from '@/lib/local/conversations/conversation-time'
import type { Message } from '@/lib/local/domain/conversation'
import styles from './message-time.module.css'

/** When a message was written: read by screen readers, visible on hover, and in full in the tooltip. */
export function MessageTime({ message }: { message: Message }) {
  const locale = useLocale()
  const date = messageDate(message)
  if (!date) return null
  return (
    <time
      className={styles.time}
      dateTime={date.toISOString()}
      title={dateFormat(locale, { dateStyle: 'full', timeStyle: 'short' }).format(date)}
      data-not-copied
    >
      {dateFormat(locale, { timeStyle: 'short' }).format(date)}
    </time>
  )
}

interface DayLineProps {
  message: Message
  /** Null for the first message of the conversation. */
  previous: Message | null
}

/** Marks where a conversation was continued on another day, and its beginning if that was not today. */
export function DayLine({ message, previous }: DayLineProps) {
  const locale = useLocale()
  const date = messageDate(message)
  const before = previous ? messageDate(previous) : new Date()
  if (!date || !before || date.toDateString() === before.toDateString()) return null
  return (
    <p className={styles.day} data-not-copied>
      {dateFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(date)}
    </p>
  )
}
