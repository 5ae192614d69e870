import 'server-only'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ExchangeLimits } from '../domain/exchange-limits'
import type { StreamReader } from './kind'

type Cause = 'stopped' | 'disconnected'

/** Half of what is read at once: so much had been waiting. */
const FULL_READ_BYTES = 32 * 1024
const QUIET_TURN_COUNT = 20

/** Somebody who stops an answer, or goes away from it. */
export interface Leaving {
  /** Null while nobody has left. */
  readonly cause: Cause | null
  /** The first cause stays. */
  leave(cause: Cause): void
  /** To be called whenever more is known of the answer, with the bytes that came. */
  noteProgress(byteCount?: number): void
  /** The exchange is over by itself. */
  end(): void
}

/**
 * What a model has begun is paid for. So whoever leaves before the request has left pays nothing; afterwards
 * the answer is cut as soon as it is known what it costs up to there, and is read on to its end where only
 * that end can tell. Before the cut everything that the upstream has written by then is read: it bills that.
 * What was written comes without a pause; a model that still writes pauses after each word.
 *
 * @param cut called once, unless the exchange ends before
 */
export function createLeaving(input: {
  limits: Pick<ExchangeLimits, 'drainQuietMs' | 'drainBacklogQuietMs' | 'drainMsMax'>
  isSent: () => boolean
  /** Null until a stream has begun. */
  reader: () => StreamReader | null
  cut: (cause: Cause) => void
}): Leaving {
  const { limits } = input
  let cause: Cause | null = null
  let isOver = false
  let progressCount = 0
  let quietTimer: NodeJS.Timeout | undefined
  let drainTimer: NodeJS.Timeout | undefined

  function noteProgress(byteCount = 0): void {
    if (cause === null || isOver) return
    progressCount += 1
    if (!input.isSent()) cut()
    else if (input.reader()?.isCountable()) {
      const isBacklog = byteCount >= FULL_READ_BYTES
      clearTimeout(quietTimer)
      quietTimer = setTimeout(cutIfQuiet, isBacklog ? limits.drainBacklogQuietMs : limits.drainQuietMs)
      drainTimer ??= setTimeout(cut, limits.drainMsMax)
    }
  }
  /** Timers of a busy process fire before it reads what has arrived meanwhile, so it gets some turns first. */
  async function cutIfQuiet(): Promise<void> {
    const seenCount = progressCount
    for (let turn = 0; turn < QUIET_TURN_COUNT; turn += 1) {
      await nextTurn()
      if (progressCount !== seenCount) return
    }
    cut()
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
