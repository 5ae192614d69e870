import { useLocale } from 'next-intl'
import type { Message } from '@/lib/local/domain/conversation'
import styles from './message-time.module.css'

/** When a message was written: heard by screen readers, seen when it is pointed at, and in full in the tooltip. */
export function MessageTime({ message }: { message: Message }) {
  const locale = useLocale()
  const date = dateOf(message)
  if (!date) return null
  const whole = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short' }).format(date)
  return (
    <time className={styles.time} dateTime={date.toISOString()} title={whole} data-not-copied>
      {new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(date)}
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
      {new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(date)}
    </p>
  )
}

/** Null for messages of other products that do not say. */
function dateOf({ created_at: createdAt }: Message): Date | null {
  const date = new Date(createdAt ?? '')
  return Number.isNaN(date.getTime()) ? null : date
}
