import 'server-only'
import type { ExchangeLimits } from '../domain/exchange-limits'
import type { StreamReader } from './kind'

type Cause = 'stopped' | 'disconnected'

/** Somebody who stops an answer, or goes away from it. */
export interface Leaving {
  /** Null while nobody has left. */
  readonly cause: Cause | null
  /** The first cause stays. */
  leave(cause: Cause): void
  /** To be called whenever more is known of the answer. */
  look(): void
  /** The exchange is over by itself. */
  end(): void
}

/**
 * What a model has begun is paid for. So whoever leaves before the request has left pays nothing; afterwards
 * the answer is cut as soon as it is known what it costs up to there, and is read on to its end where only
 * that end can tell. Before the cut everything that the upstream has written by then is read: it bills that.
 *
 * @param cut called once, unless the exchange ends before
 */
export function createLeaving(input: {
  limits: Pick<ExchangeLimits, 'readOnMsMax' | 'drainQuietMs' | 'drainMsMax'>
  isSent: () => boolean
  /** Null until a stream has begun. */
  reader: () => StreamReader | null
  cut: (cause: Cause) => void
}): Leaving {
  const { limits } = input
  let cause: Cause | null = null
  let isUnseen = false
  let isOver = false
  let lookCount = 0
  let readOnTimer: NodeJS.Timeout | undefined
  let quietTimer: NodeJS.Timeout | undefined
  let drainTimer: NodeJS.Timeout | undefined

  function look(): void {
    if (cause === null || isOver) return
    lookCount += 1
    if (!input.isSent()) cut()
    else if (input.reader()?.isCountable(isUnseen)) {
      drainTimer ??= setTimeout(() => setImmediate(cut), limits.drainMsMax)
      quietTimer = quietTimer?.refresh() ?? setTimeout(cutIfQuiet, limits.drainQuietMs)
    }
  }
  /** Timers of a busy process fire before it reads what has arrived meanwhile, so it gets its turn first. */
  function cutIfQuiet(): void {
    const seenCount = lookCount
    setImmediate(() => {
      if (lookCount === seenCount) cut()
    })
  }
  function cut(): void {
    if (isOver || cause === null) return
    end()
    input.cut(cause)
  }
  function end(): void {
    isOver = true
    clearTimeout(readOnTimer)
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
      isUnseen = !input.reader()?.hasOutput
      readOnTimer = setTimeout(cut, limits.readOnMsMax)
      look()
    },
    look,
    end,
  }
}
