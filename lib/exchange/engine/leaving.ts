import 'server-only'
import { isStillSilent } from '@/lib/http/is-still-silent'
import type { ExchangeLimits } from '../domain/exchange-limits'
import type { StreamReader } from './kind'

type Cause = 'stopped' | 'disconnected'

/** No model writes this much while an event loop turns once: it had been waiting. */
const BACKLOG_BYTES_MIN = 32 * 1024

/** Ends an answer whose reader stops it or goes away. */
export interface Leaving {
  /** Null while nobody has left. */
  readonly cause: Cause | null
  /** The first cause stays. */
  leave(cause: Cause): void
  /** To be called whenever more of the answer has arrived, with its length. */
  noteProgress(byteCount?: number): void
  /** The exchange ended by itself. */
  end(): void
}

/**
 * What a model has begun is paid for. A reader who leaves before the request was sent pays nothing. Afterwards the
 * answer is cut as soon as its cost so far is known, or is read to its end if the cost is only known there. Before
 * the cut, everything that the upstream has already written is read, since it bills for that: what had been written
 * arrives without a pause, while a model that is still writing pauses after each word.
 *
 * @param cut called at most once, and not if the exchange has ended by itself
 */
export function createLeaving(input: {
  limits: Pick<ExchangeLimits, 'drainQuietMs' | 'drainBacklogQuietMs' | 'drainMsMax'>
  isSent: () => boolean
  /** Null until a stream has begun. */
  reader: () => Pick<StreamReader, 'isCountable'> | null
  cut: (cause: Cause) => void
}): Leaving {
  const { limits } = input
  let cause: Cause | null = null
  let isOver = false
  let progressCount = 0
  /**
   * The bytes that have arrived in this turn of the event loop, since what was read from the socket at once still comes
   * in the small chunks that the upstream wrote.
   */
  let turnByteCount = 0
  let hasBacklog = false
  let quietTimer: NodeJS.Timeout | undefined
  let drainTimer: NodeJS.Timeout | undefined

  function noteProgress(byteCount = 0): void {
    if (cause === null || isOver) return
    progressCount += 1
    if (!input.isSent()) cut()
    else if (input.reader()?.isCountable()) {
      countForTurn(byteCount)
      clearTimeout(quietTimer)
      quietTimer = setTimeout(cutIfQuiet, hasBacklog ? limits.drainBacklogQuietMs : limits.drainQuietMs)
      drainTimer ??= setTimeout(cut, limits.drainMsMax)
    }
  }
  function countForTurn(byteCount: number): void {
    if (turnByteCount === 0) {
      setImmediate(() => {
        turnByteCount = 0
      })
    }
    turnByteCount += byteCount
    hasBacklog ||= turnByteCount >= BACKLOG_BYTES_MIN
  }
  async function cutIfQuiet(): Promise<void> {
    if (await isStillSilent(() => progressCount)) cut()
  }
  function cut(): void {
    if (isOver || cause === null) return
    end()
    input.cut(cause)
  }
  function end(): void {
    isOver = true
    clearTimeout(quietTimer)
    clearTimeout(drainTimer)
  }

  return {
    get cause() {
      return cause
    },
    leave(given) {
      if (isOver || cause !== null) return
      cause = given
      noteProgress()
    },
    noteProgress,
    end,
  }
}
