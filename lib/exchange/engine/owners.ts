import 'server-only'
import type { PushedBody } from '@/lib/http/direct-response'
import { within } from '@/lib/http/domain/within'
import type { ExchangeLimits } from '../domain/exchange-limits'
import type { ExchangeEnd, StopCause } from './ends'
import type { AnnouncedExchange, ExchangeBoard } from './exchange-board'
import type { Settlement } from './kind'

/** An answer that can be read, by one reader or by several. */
export interface AnswerSource {
  status: number
  headers: Record<string, string>
  /** The body after event `afterEvent`; null if that part is not kept. */
  read(input: { afterEvent: number; onGone: () => void }): PushedBody | Uint8Array<ArrayBuffer> | null
}

/** An exchange that this process owns, from its hold to its last byte. */
export interface RunningExchange {
  /** The hold's id. */
  readonly id: string
  readonly accountId: string
  /** Derived from the resume key; null when the exchange cannot be resumed. */
  readonly resumeName: string | null
  /** The id in the answer; null before it has arrived, or if there is none. */
  answerId(): string | null
  /** Resolves when an upstream has begun to answer, or is slow to begin a stream; rejects with an ApiError if none does. */
  readonly answer: Promise<AnswerSource>
  /** Resolves when its request is no longer kept: an upstream answers, or none will. Never rejects. */
  readonly requestSent: Promise<void>
  /** Never rejects. */
  readonly finished: Promise<{ end: ExchangeEnd; settlement: Settlement }>
  /** Adds a reader. When the last one has left, an answer that cannot be resumed is given up. */
  attend(signal: AbortSignal): { leave(): void }
  stop(cause: StopCause): void
}

/**
 * The running exchanges that this process owns. Only their owner can stop them or read their answers while they
 * are being written; those of other processes are announced on the board.
 */
export interface ExchangeOwners {
  claim(exchange: RunningExchange): void
  /** Finds an account's exchange by its id, its resume name, or the id in its answer. */
  find(input: { name: string; accountId: string }): RunningExchange | null
  all(): RunningExchange[]
}

export function createOwners(): ExchangeOwners {
  const byName = new Map<string, RunningExchange>()
  const running = new Set<RunningExchange>()
  return {
    claim(exchange) {
      const names = [exchange.id, ...(exchange.resumeName === null ? [] : [exchange.resumeName])]
      running.add(exchange)
      for (const name of names) byName.set(name, exchange)
      void exchange.finished.finally(() => {
        running.delete(exchange)
        for (const name of names) if (byName.get(name) === exchange) byName.delete(name)
      })
    },
    find({ name, accountId }) {
      const isTheirs = (exchange: RunningExchange) => exchange.accountId === accountId
      const named = byName.get(name) ?? [...running].find(each => isTheirs(each) && each.answerId() === name)
      return named && isTheirs(named) ? named : null
    },
    all: () => [...running],
  }
}

/**
 * The same owners, which also announce on the board what runs here and obey stops that other processes received.
 * While the board cannot be reached, answers are written all the same.
 */
export function announceOwned(
  owners: ExchangeOwners,
  input: {
    board: ExchangeBoard
    limits: ExchangeLimits
    keepAlive: (work: Promise<unknown>) => void
  },
): ExchangeOwners {
  const { board, limits } = input
  const announced = new Map<string, { exchange: RunningExchange; announceAgain: (nothing: null) => void }>()
  const post = inBatches<AnnouncedExchange>(exchanges =>
    board.announce(exchanges, limits.announcementTtlSeconds),
  )
  const withdraw = inBatches<string>(exchangeIds => board.withdraw(exchangeIds))
  let isListening = false

  async function announce(exchange: RunningExchange): Promise<void> {
    const { id, accountId, resumeName, finished } = exchange
    if (resumeName === null && (await within(limits.announcementDelayMs, finished))) return
    const isPosted = () =>
      post({ exchangeId: id, accountId, resumeName }).then(
        () => true,
        () => false,
      )
    // While an exchange is not announced, other processes tell its reader that it is lost.
    for (;;) {
      if (await isPosted()) {
        const lost = Promise.withResolvers<null>()
        announced.set(id, { exchange, announceAgain: lost.resolve })
        listen()
        if (await Promise.race([finished, lost.promise])) break
      } else if (await within(limits.stopPollIntervalMs, finished)) break
    }
    announced.delete(id)
    // If that fails, it expires by itself.
    await withdraw(id).catch(() => undefined)
  }

  function listen(): void {
    if (isListening) return
    isListening = true
    setTimeout(hear, limits.stopPollIntervalMs).unref()
  }

  async function hear(): Promise<void> {
    const exchangeIds = [...announced.keys()]
    isListening = false
    if (exchangeIds.length === 0) return
    try {
      for (const { exchangeId, isForgotten } of await board.keep(
        exchangeIds,
        limits.announcementTtlSeconds,
      )) {
        const own = announced.get(exchangeId)
        if (isForgotten) own?.announceAgain(null)
        else own?.exchange.stop('stopped')
      }
    } catch {
      // The database does not answer; the next poll asks again.
    }
    listen()
  }

  return {
    ...owners,
    claim(exchange) {
      owners.claim(exchange)
      input.keepAlive(announce(exchange))
    },
  }
}

/**
 * Batches writes: the first item is written at once, and those that arrive meanwhile are written together after it.
 * Under load that is one query for many items, and none waits for more than one query before its own.
 */
function inBatches<Item>(write: (items: readonly Item[]) => Promise<void>): (item: Item) => Promise<void> {
  let waiting: Item[] = []
  let next: Promise<void> | null = null
  let last: Promise<unknown> = Promise.resolve()
  return item => {
    waiting.push(item)
    next ??= last.then(() => {
      const items = waiting
      waiting = []
      next = null
      const written = write(items)
      last = written.catch(() => {})
      return written
    })
    return next
  }
}

/** Counts the readers of an answer, and calls `onEmpty` when the last one has left. */
export function createAttendance(onEmpty: () => void): RunningExchange['attend'] {
  let attendeeCount = 0
  return signal => {
    let present = true
    const leave = () => {
      if (!present) return
      present = false
      signal.removeEventListener('abort', leave)
      attendeeCount -= 1
      if (attendeeCount === 0) onEmpty()
    }
    attendeeCount += 1
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    return { leave }
  }
}
