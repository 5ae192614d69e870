import 'server-only'
import { types } from 'node:util'
import { log } from './log'

/**
 * Next and other libraries tell of errors on the console, whole: with their causes, and with fields such as the headers
 * of a request. From now on what they tell is a line of the log, scrubbed like any other.
 */
export function sendConsoleToLog(): void {
  const levelOf = (told: unknown[], usual: 'error' | 'warn') =>
    told.some(each => isDeparture(each) || isRefusedSession(each)) ? 'debug' : usual
  console.error = (...told: unknown[]) => log[levelOf(told, 'error')](textOf(told))
  console.warn = (...told: unknown[]) => log[levelOf(told, 'warn')](textOf(told))
}

/** Supabase's library tells twice of each session that its service refuses; lib/auth/server/bounded-fetch.ts, once. */
function isRefusedSession(told: unknown): boolean {
  return types.isNativeError(told) && told.name === 'AuthApiError'
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
