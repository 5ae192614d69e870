import 'server-only'
import { types } from 'node:util'
import { log } from './log'

/**
 * Next and other libraries tell of errors on the console, whole: with their causes, and with fields such as the headers
 * of a request. From now on what they tell is a line of the log, scrubbed like any other.
 */
export function sendConsoleToLog(): void {
  console.error = (...told: unknown[]) => log[told.some(isDeparture) ? 'debug' : 'error'](textOf(told))
  console.warn = (...told: unknown[]) => log[told.some(isEndedSession) ? 'debug' : 'warn'](textOf(told))
}

const ENDED_SESSION_CODES: ReadonlySet<unknown> = new Set([
  'refresh_token_not_found',
  'refresh_token_already_used',
  'session_expired',
])

/** What Supabase's library tells, at each request, of a visitor whose session is over or has been made up. */
function isEndedSession(told: unknown): boolean {
  return (
    types.isNativeError(told) &&
    told.name === 'AuthApiError' &&
    'code' in told &&
    ENDED_SESSION_CODES.has(told.code)
  )
}

/**
 * What Node makes of a visitor who leaves while sending a request; Next tells of it as if something of ours had failed.
 * A host that breaks off its answer to us makes the same error at another place, and that is one.
 */
function isDeparture(told: unknown): boolean {
  return (
    types.isNativeError(told) &&
    told.message === 'aborted' &&
    told.stack?.includes('node:_http_server') === true
  )
}

function textOf(told: readonly unknown[]): string {
  return told
    .map(each => {
      if (types.isNativeError(each)) return each.stack ?? `${each.name}: ${each.message}`
      return typeof each === 'string' ? each : `[${typeof each}]`
    })
    .join(' ')
    .trim()
}
