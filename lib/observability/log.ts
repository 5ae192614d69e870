import 'server-only'
import { AsyncLocalStorage } from 'node:async_hooks'
import { LOG_LEVELS, type LogLevel, type LogSettings, readLogSettings } from '@/lib/config/log-settings'
import { scrubText } from '@/lib/telemetry/domain/scrub-text'
import { processWide } from './process-wide'

/**
 * All that a line may say beside its message. A closed list: no query, body or credential, and nothing that
 * names a person or an account. What comes from elsewhere belongs into `error`, which is searched for secrets
 * as the message is.
 */
interface LogFields {
  method?: string
  /** The pattern of the path, never what stood in it. */
  route?: string
  status?: number
  durationMs?: number
  bytes?: number
  /** The reader left before the end. */
  aborted?: true
  exchangeId?: string
  invoiceId?: string
  model?: string
  upstream?: string
  end?: string
  errorCode?: string
  chargedUsd?: string
  firstTokenMs?: number
  error?: unknown
}

/** What every line of a request carries, however deep below its handler. */
export interface RequestContext {
  requestId: string
  route: string
  /** Of the line that tells of the request. */
  level: LogLevel
  /** What its answer sets, by name. */
  cookies?: ReadonlyMap<string, string>
}

export const requestContext = processWide('request', () => new AsyncLocalStorage<RequestContext>())

/** The one way of telling the operator something: a line to stderr, since commands answer on stdout. */
export const log = {
  debug: (message: string, fields?: LogFields) => write('debug', message, fields),
  info: (message: string, fields?: LogFields) => write('info', message, fields),
  warn: (message: string, fields?: LogFields) => write('warn', message, fields),
  error: (message: string, fields?: LogFields) => write('error', message, fields),
}

function write(level: LogLevel, message: string, { error, ...fields }: LogFields = {}): void {
  const settings = logSettings()
  if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(settings.level)) return
  const time = new Date().toISOString()
  const rest = {
    ...fields,
    // Without its stack or its cause, which could carry a body or a header.
    ...(error !== undefined && {
      error: error instanceof Error ? `${error.name}: ${scrubText(error.message)}` : 'unknown',
    }),
    requestId: requestContext.getStore()?.requestId,
  }
  const text = scrubText(message)
  process.stderr.write(
    settings.format === 'json'
      ? `${JSON.stringify({ level, time, message: text, ...rest })}\n`
      : `${oneLine(`${time.slice(11, 19)} ${level.padEnd(5)} ${[text, ...pairs(rest)].join('  ')}`)}\n`,
  )
}

/** What an upstream or a visitor wrote neither begins a line nor moves a terminal's cursor. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}

function pairs(fields: object): string[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`],
  )
}

let settings: LogSettings | null = null

/** A malformed one stops the start elsewhere, with its sentence; until then a line is better than none. */
function logSettings(): LogSettings {
  try {
    settings ??= readLogSettings(process.env, process.stderr.isTTY)
  } catch {
    settings = readLogSettings({})
  }
  return settings
}
