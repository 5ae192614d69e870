import 'server-only'
import { setTimeout as delay } from 'node:timers/promises'

/** A restarting PostgreSQL is back within a second or two; anything longer is an outage. */
const RETRY_DELAYS_MS = [50, 250, 1_000] as const

/**
 * PostgreSQL's codes for a session that is lost or was never established (class 08, 53300, 57P01-57P03) and for a
 * transaction that was rolled back and should be repeated (40001, 40P01, and 55P03 where it must not wait for a lock);
 * the rest are the socket's and the resolver's.
 */
const RETRYABLE_CODES = new Set([
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  // What PgBouncer says of everything, above all that the server behind it is away.
  '08P01',
  '53300',
  '57P01',
  '57P02',
  '57P03',
  '40001',
  '40P01',
  '55P03',
  'ECONNRESET',
  'ECONNREFUSED',
  // The embedded server's socket disappears with the server.
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
])

/**
 * What Supabase's pooler says of everything, such as too many clients, or that the server behind it is away. Of a
 * statement, and not of its session, it is a fault of the server's that would only be repeated.
 */
const POOLER_CODE = 'XX000'

/** Errors to which the driver gives no code. */
const RETRYABLE_MESSAGE = /Connection terminated|Client has encountered a connection error/

/** The pool's error if none of its connections became free in time, and the driver's if a statement took too long. */
const TIMEOUT_MESSAGE = /^(timeout exceeded when trying to connect|Query read timeout)$/

/**
 * Repeats a statement whose connection was lost. It is then unknown whether it had been committed, so this is only for
 * statements that have no further effect the second time.
 */
export async function retryLostConnection<Result>(
  idempotentStatement: () => Promise<Result>,
): Promise<Result> {
  for (const delayMs of RETRY_DELAYS_MS) {
    try {
      return await idempotentStatement()
    } catch (error) {
      if (!isLostConnection(error)) throw error
      await delay(delayMs)
    }
  }
  return idempotentStatement()
}

/** By shape rather than by class: a driver's error may be from another realm. */
export function isLostConnection(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { code, message, severity } = error as Record<'code' | 'message' | 'severity', unknown>
  if (code === POOLER_CODE) return severity === 'FATAL'
  if (typeof code === 'string') return RETRYABLE_CODES.has(code)
  return typeof message === 'string' && RETRYABLE_MESSAGE.test(message)
}

/**
 * The database could not be opened (a DatabaseError, where services open at the first request), nothing can be written,
 * the server is out of disk or memory, or it has cancelled a statement that took too long: the operator has to act, and
 * repeating is no use.
 */
const UNUSABLE_CODE = /^(unreachable|25006|53...|57014)$/

/**
 * Also if all connections are in use, or the server is too slow: nobody waits twice, since that would block everybody
 * else.
 */
export function isOutage(error: unknown): boolean {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown }
  return isLostConnection(error) || UNUSABLE_CODE.test(String(code)) || TIMEOUT_MESSAGE.test(String(message))
}
