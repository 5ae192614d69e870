import 'server-only'
import { setTimeout as delay } from 'node:timers/promises'

/** A restarting PostgreSQL is back within a second or two; beyond that it is an outage, not a hiccup. */
const RETRY_DELAYS_MS = [50, 250, 1_000] as const

/**
 * PostgreSQL's codes for "the session is gone or was never there" (class 08, 57P01-57P03) and for "your
 * transaction was undone, say it again" (40001, 40P01); the rest are the socket's.
 */
const RETRYABLE_CODES = new Set([
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  '57P01',
  '57P02',
  '57P03',
  '40001',
  '40P01',
  'ECONNRESET',
  'ECONNREFUSED',
  // The embedded server's socket is gone with it.
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
])

/** The driver gives these no code. */
const RETRYABLE_MESSAGE = /Connection terminated|Client has encountered a connection error/

/** What the pool says where none of its connections came free in time. */
const NO_CONNECTION_MESSAGE = /^timeout exceeded when trying to connect$/

/**
 * Repeats a statement whose connection was lost. When that happens nobody knows whether it had been
 * committed, so this is only for statements that do no more the second time than the first.
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

/** By shape, not by class: a driver's error may come from another realm than ours. */
export function isLostConnection(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (typeof code === 'string') return RETRYABLE_CODES.has(code)
  return typeof message === 'string' && RETRYABLE_MESSAGE.test(message)
}

/** Also where all connections are in use: nobody waits for one twice, since that is what keeps them from all others. */
export function isOutage(error: unknown): boolean {
  return isLostConnection(error) || NO_CONNECTION_MESSAGE.test(String(Object(error).message))
}
