import 'server-only'
import type { PushedBody } from '@/lib/http/direct-response'
import type { ExchangeLimits } from '../domain/exchange-limits'
import type { ExchangeEnd, StopCause } from './ends'
import type { AnnouncedExchange, ExchangeBoard } from './exchange-board'
import type { Settlement } from './kind'
import { within } from './within'

/** The head of an answer, and its body for as many readers as it allows. */
export interface AnswerSource {
  status: number
  headers: Record<string, string>
  /** From behind event `afterEvent` on; null when that part is no longer, or never was, kept. */
  read(input: { afterEvent: number; onGone: () => void }): PushedBody | Uint8Array<ArrayBuffer> | null
}

/** An exchange that this process owns, from its hold to its last byte. */
export interface RunningExchange {
  /** The hold's id. */
  readonly id: string
  readonly accountId: string
  /** Derived from the resume key; null when the exchange cannot be resumed. */
  readonly resumeName: string | null
  /** The id that stands in the answer; null before it has come, or where none does. */
  answerId(): string | null
  /** Settles when an upstream has begun to answer. @throws ApiError when none does */
  readonly answer: Promise<AnswerSource>
  /** Never rejects. */
  readonly finished: Promise<{ end: ExchangeEnd; settlement: Settlement }>
  /** Somebody waits for this answer. When the last one has left, one that nobody can resume is given up. */
  attend(signal: AbortSignal): { leave(): void }
  stop(cause: StopCause): void
}

/**
 * The running exchanges that this process owns. Only their owner can stop them or hand out what they are
 * still receiving; what other processes own stands on the board.
 */
export interface ExchangeOwners {
  claim(exchange: RunningExchange): void
  /** An account's, by the exchange's id, the name that a browser derives from its resume key, or the answer's own id. */
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
 * Owners that also tell the other processes what runs here, and listen for stops that were asked for
 * there. While the board cannot be reached, answers are written all the same.
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
    // Unheard of elsewhere, or forgotten there, it would be called lost to its reader.
    for (;;) {
      if (await isPosted()) {
        const lost = Promise.withResolvers<null>()
        announced.set(id, { exchange, announceAgain: lost.resolve })
        listen()
        if (await Promise.race([finished, lost.promise])) break
      } else if (await within(limits.stopPollIntervalMs, finished)) break
    }
    announced.delete(id)
    // Else it expires by itself.
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
      // The database is away; the next look asks again.
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
 * One at a time goes at once; what comes while it is under way goes together after it. Under load that is a
 * query for many, and nobody waits longer than for one.
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

/** Counts those who wait for an answer, and tells when the last of them has left. */
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
