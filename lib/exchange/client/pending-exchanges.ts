import type { ExchangeKeys } from './exchange-request'
import type { ExchangeKind } from './exchange-runner'

/** What it takes to pick an answer up again after the page was gone. */
export interface PendingExchange {
  readonly conversationId: string
  readonly messageId: string
  readonly idempotencyKey: string
  readonly resumeKey: string
  /** Null until the server has answered: the request is then repeated, under the same key. */
  readonly exchangeId: string | null
  /** Epoch milliseconds. */
  readonly startedAtMs: number
  readonly kind: ExchangeKind
}

/** The part of local storage that is needed here. */
export interface TextStorage {
  read(key: string): string | null
  write(key: string, text: string): boolean
  remove(key: string): void
}

const KEY = 'pendingExchanges'
/** The server keeps an answer for ten minutes after its end; an hour-long answer is the longest there is. */
const LIFE_MS = 70 * 60_000
/** One person does not wait for more answers at once. */
const COUNT_MAX = 32

/**
 * Exchanges that have not ended, kept beside the conversations and apart from them: the resume key opens
 * the server's transcript and has no business in an export. The credit_id is not kept here again.
 */
export function createPendingExchanges(storage: TextStorage, nowMs: () => number) {
  function list(): PendingExchange[] {
    return parse(storage.read(KEY)).filter(({ startedAtMs }) => nowMs() - startedAtMs < LIFE_MS)
  }

  function write(exchanges: readonly PendingExchange[]): void {
    if (exchanges.length === 0) storage.remove(KEY)
    else storage.write(KEY, JSON.stringify(exchanges.slice(-COUNT_MAX)))
  }

  return {
    list,
    find: (messageId: string): PendingExchange | null =>
      list().find(exchange => exchange.messageId === messageId) ?? null,
    put(exchange: PendingExchange): void {
      write([...list().filter(({ messageId }) => messageId !== exchange.messageId), exchange])
    },
    remove(messageId: string): void {
      write(list().filter(exchange => exchange.messageId !== messageId))
    },
  }
}

export type PendingExchanges = ReturnType<typeof createPendingExchanges>

export function keysOf(exchange: PendingExchange, creditId: string): ExchangeKeys {
  return { creditId, idempotencyKey: exchange.idempotencyKey, resumeKey: exchange.resumeKey }
}

/** Damaged or foreign text counts as nothing pending. */
function parse(text: string | null): PendingExchange[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value) ? value.map(withKind).filter(isPendingExchange) : []
  } catch {
    return []
  }
}

/** Earlier versions only answered, and did not say so. */
function withKind(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? { kind: 'chat', ...value } : value
}

function isPendingExchange(value: unknown): value is PendingExchange {
  if (typeof value !== 'object' || value === null) return false
  const fields: Record<string, unknown> = { ...value }
  return (
    ['conversationId', 'messageId', 'idempotencyKey', 'resumeKey'].every(
      name => typeof fields[name] === 'string',
    ) &&
    (fields.exchangeId === null || typeof fields.exchangeId === 'string') &&
    typeof fields.startedAtMs === 'number' &&
    (fields.kind === 'chat' || fields.kind === 'image')
  )
}
