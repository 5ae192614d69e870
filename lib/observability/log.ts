import 'server-only'
import { AsyncLocalStorage } from 'node:async_hooks'
import { LOG_LEVELS, type LogLevel, type LogSettings, readLogSettings } from '@/lib/config/log-settings'
import { scrubText } from '@/lib/telemetry/domain/scrub-text'
import { processWide } from './process-wide'

/**
 * All fields that a line may have besides its message. The list is closed: no query, body or credential, and nothing
 * that names a person or an account. Anything from outside belongs into `error`, which is scrubbed of secrets like the
 * message.
 */
interface LogFields {
  method?: string
  /** The pattern of the path, never its values. */
  route?: string
  status?: number
  durationMs?: number
  bytes?: number
  /** The reader left before the end. */
  aborted?: true
  exchangeId?: string
  invoiceId?: string
  /** The invoice that a payment belongs to, other than that it was reported for. */
  paidInvoiceId?: string
  model?: string
  upstream?: string
  end?: string
  errorCode?: string
  chargedUsd?: string
  firstTokenMs?: number
  error?: unknown
}

/** The context that every line of a request has, however deep below its handler. */
export interface RequestContext {
  requestId: string
  route: string
  /** The level of the request's own line. */
  level: LogLevel
  /** Cookies that its answer will set, by name. */
  cookies?: ReadonlyMap<string, string>
}

export const requestContext = processWide('request', () => new AsyncLocalStorage<RequestContext>())

/** The only way to tell the operator something. */
export const log = {
  debug: (message: string, fields?: LogFields) => write('debug', message, fields),
  info: (message: string, fields?: LogFields) => write('info', message, fields),
  warn: (message: string, fields?: LogFields) => write('warn', message, fields),
  error: (message: string, fields?: LogFields) => write('error', message, fields),
}

function write(level: LogLevel, message: string, { error, ...fields }: LogFields = {}): void {
  const settings = logSettings()
  if (isBelow(level, settings.level)) return
  const time = new Date().toISOString()
  const rest = {
    ...fields,
    // Without its stack and its cause, which could contain a body or a header.
    ...(error !== undefined && {
      error: error instanceof Error ? `${error.name}: ${scrubText(error.message)}` : 'unknown',
    }),
    requestId: requestContext.getStore()?.requestId,
  }
  const text = scrubText(message)
  const stream = isBelow(level, settings.stderrLevel) ? process.stdout : process.stderr
  stream.write(
    settings.format === 'json'
      ? `${JSON.stringify({ level, time, message: text, ...rest })}\n`
      : `${oneLine(`${time.slice(11, 19)} ${level.padEnd(5)} ${[text, ...pairs(rest)].join('  ')}`)}\n`,
  )
}

function isBelow(level: LogLevel, other: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(other)
}

/** Text from an upstream or a visitor must neither begin a line nor move a terminal's cursor. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}

function pairs(fields: object): string[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`],
  )
}

let settings: LogSettings | null = null

/** A malformed setting stops the start elsewhere, with its sentence; until then any log is better than none. */
function logSettings(): LogSettings {
  try {
    settings ??= readLogSettings(process.env, process.stderr.isTTY)
  } catch {
    settings = readLogSettings({})
  }
  return settings
}
