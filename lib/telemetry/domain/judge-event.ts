import { classifyError, isReported, type ObservedError } from './classify-error'
import { levelOf } from './describe-report'

/** The fields that decide whether a report is sent, as the SDK names them. */
export interface JudgedEvent {
  message?: string
  level?: string
  exception?: { values?: { type?: string; value?: string }[] }
  tags?: Record<string, unknown>
}

/**
 * Whether a report is sent. In a chain of causes, any error may show what it is about.
 *
 * @param draw uniformly distributed in [0, 1)
 */
export function isEventReported(event: JudgedEvent, draw: number): boolean {
  return isReported(classifyError(errorOf(event)), draw)
}

/** The level of an event with a status; null for others, which keep theirs. */
export function levelOfEvent({ tags }: JudgedEvent): ReturnType<typeof levelOf> | null {
  const status = statusOf(tags)
  return status === null ? null : levelOf(status)
}

function errorOf({ message = '', exception, tags }: JudgedEvent): ObservedError {
  const thrown = exception?.values ?? []
  return {
    names: thrown.map(({ type = '' }) => type),
    message: [message, ...thrown.map(({ value = '' }) => value)].join(' '),
    status: statusOf(tags),
  }
}

function statusOf(tags: JudgedEvent['tags']): number | null {
  const status = Number(tags?.status)
  return Number.isInteger(status) && status > 0 ? status : null
}
