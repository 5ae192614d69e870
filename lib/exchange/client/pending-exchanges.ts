import { isObject, listOf } from '@/lib/http/domain/is-object'
import { creditIdFirstSegment } from '@/lib/local/credit-id'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { parseStored } from '@/lib/local/storage/json'
import { PENDING_EXCHANGES_KEY } from '@/lib/local/storage/storage-keys'
import { isKept } from '@/lib/local/storage/write-failures'
import { EXCHANGE_KINDS, type ExchangeKindName } from './exchange-kinds'
import { EXCHANGE_LIFE_MS } from './follow-exchange'

/** What is needed to resume an answer after the page was gone. */
export interface PendingExchange {
  readonly conversationId: string
  readonly messageId: string
  readonly kind: ExchangeKindName
  readonly idempotencyKey: string
  readonly resumeKey: string
  /** The promised maximum, in decimal dollars. */
  readonly mostUsd: string | null
  /** Null until the server has sent it. */
  readonly exchangeId: string | null
  /**
   * SHA-256 of the request and its credit, so that no other is sent under the same key; null until one has been sent.
   */
  readonly bodyHash: string | null
  /** The first part of the credit_id that it was sent with; null likewise. */
  readonly creditSegment: string | null
  /** A stop was requested; more of the answer may still arrive. */
  readonly isStopped: boolean
  /** When it was sent or, if it was not, when it was asked. Epoch milliseconds. */
  readonly startedAtMs: number
}

/** How long a question waits for the network; later its answer is hardly wanted any more. */
export const WAITING_MS_MAX = 7 * 24 * 60 * 60_000
/** Nobody waits for more answers at once. */
const COUNT_MAX = 32

/** Whether a request may have reached the server, and so may be charged. */
export function isSent({ bodyHash, exchangeId }: PendingExchange): boolean {
  return bodyHash !== null || exchangeId !== null
}

/** Whether an answer is being written for this credit, whose rest is fetched by it alone. */
export function isAnswering(creditId: string): boolean {
  const segment = creditIdFirstSegment(creditId)
  const pending = createPendingExchanges(Date.now).list()
  return pending.some(exchange => isSent(exchange) && exchange.creditSegment === segment)
}

export type PendingExchanges = ReturnType<typeof createPendingExchanges>

/**
 * Exchanges that have not ended. They are stored apart from the conversations, since the resume key opens the server's
 * transcript and does not belong into an export. The credit_id is not stored here.
 */
export function createPendingExchanges(nowMs: () => number) {
  function list(text = guardedStorage.read(PENDING_EXCHANGES_KEY)): PendingExchange[] {
    const exchanges = listOf(parseStored(text)).flatMap(parsePendingExchange)
    return exchanges.filter(exchange => {
      const lifeMs = isSent(exchange) ? EXCHANGE_LIFE_MS : WAITING_MS_MAX
      return nowMs() - exchange.startedAtMs < lifeMs
    })
  }

  const find = (messageId: string): PendingExchange | null =>
    list().find(exchange => exchange.messageId === messageId) ?? null

  /** Without a note an answer still ends normally, unless the page is left before. */
  function write(exchanges: readonly PendingExchange[]): void {
    const text = JSON.stringify(exchanges.slice(-COUNT_MAX))
    if (exchanges.length === 0) guardedStorage.remove(PENDING_EXCHANGES_KEY)
    else isKept(() => guardedStorage.write(PENDING_EXCHANGES_KEY, text))
  }

  return {
    list,
    /** Calls back with the notes that another tab has written. */
    subscribe: (listener: (noted: readonly PendingExchange[]) => void): (() => void) =>
      guardedStorage.subscribe((key, text) => {
        if (key === PENDING_EXCHANGES_KEY) listener(list(text))
      }),
    find,
    /** A stop that another tab has noted is kept. */
    put(exchange: PendingExchange): void {
      const others = list().filter(({ messageId }) => messageId !== exchange.messageId)
      const isStopped = exchange.isStopped || find(exchange.messageId)?.isStopped === true
      write([...others, { ...exchange, isStopped }])
    },
    remove(messageId: string): void {
      write(list().filter(exchange => exchange.messageId !== messageId))
    },
  }
}

/** Damaged or foreign entries are ignored. Earlier versions stored fewer fields. */
function parsePendingExchange(value: unknown): PendingExchange[] {
  if (!isObject(value)) return []
  const { conversationId, messageId, idempotencyKey, resumeKey, startedAtMs } = value
  const { kind = 'chat', mostUsd = null, exchangeId = null, bodyHash = null, isStopped = false } = value
  const { creditSegment = null } = value
  if (typeof conversationId !== 'string' || typeof messageId !== 'string') return []
  if (typeof idempotencyKey !== 'string' || typeof resumeKey !== 'string') return []
  if (mostUsd !== null && typeof mostUsd !== 'string') return []
  if (exchangeId !== null && typeof exchangeId !== 'string') return []
  if (bodyHash !== null && typeof bodyHash !== 'string') return []
  if (creditSegment !== null && typeof creditSegment !== 'string') return []
  if (typeof startedAtMs !== 'number' || !isKindName(kind)) return []
  const keys = { idempotencyKey, resumeKey, mostUsd, exchangeId, bodyHash, creditSegment }
  return [{ conversationId, messageId, kind, ...keys, isStopped: isStopped === true, startedAtMs }]
}

function isKindName(value: unknown): value is ExchangeKindName {
  return typeof value === 'string' && Object.hasOwn(EXCHANGE_KINDS, value)
}
