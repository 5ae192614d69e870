import { useLocale } from 'next-intl'
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
      title={formatOf(locale, 'full').format(date)}
      data-not-copied
    >
      {formatOf(locale).format(date)}
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
      {formatOf(locale, 'medium').format(date)}
    </p>
  )
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Cached, since creating a formatter takes longer than using it a hundred times. */
function formatOf(locale: string, dateStyle?: 'full' | 'medium'): Intl.DateTimeFormat {
  const key = `${locale} ${dateStyle}`
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, { dateStyle, timeStyle: 'short' })
  formats.set(key, format)
  return format
}
