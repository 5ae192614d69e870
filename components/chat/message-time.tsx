import { useLocale } from 'next-intl'
import type { Message } from '@/lib/local/domain/conversation'
import styles from './message-time.module.css'

/** When a message was written: heard by screen readers, seen when it is pointed at, and in full in the tooltip. */
export function MessageTime({ message }: { message: Message }) {
  const locale = useLocale()
  const date = dateOf(message)
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
  /** Null for the first of the conversation. */
  previous: Message | null
}

/** Where a conversation went on on another day, and when it began if that was not today. */
export function DayLine({ message, previous }: DayLineProps) {
  const locale = useLocale()
  const date = dateOf(message)
  const before = previous ? dateOf(previous) : new Date()
  if (!date || !before || date.toDateString() === before.toDateString()) return null
  return (
    <p className={styles.day} data-not-copied>
      {formatOf(locale, 'medium').format(date)}
    </p>
  )
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Made once: making one takes longer than using it a hundred times. */
function formatOf(locale: string, dateStyle?: 'full' | 'medium'): Intl.DateTimeFormat {
  const key = `${locale} ${dateStyle}`
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, { dateStyle, timeStyle: 'short' })
  formats.set(key, format)
  return format
}

/** Null for messages of other products that do not say. */
function dateOf({ created_at: createdAt }: Message): Date | null {
  const date = new Date(createdAt ?? '')
  return Number.isNaN(date.getTime()) ? null : date
}
