import { type RefObject, startTransition, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { whenIdle } from '@/lib/local/when-idle'
import { soughtStore } from './select-conversation'
import { GROUP_TURN_COUNT } from './shown-turns'

/** More than a screen shows. */
const FIRST_COUNT = 8
/** So many at a time take no longer than a frame or two of a slow computer. */
const STEP_COUNT = 2 * GROUP_TURN_COUNT
const STEP_WITHIN_MS = 200

/**
 * From which message on a conversation is on the page: its end at once, and the rest, step by step, whenever
 * the browser has a moment. In the end all of it is there, to be found, printed and read aloud; a search
 * whose result was opened, and a printer, get it all at once.
 */
export function useShownFrom(count: number, scrollerRef: RefObject<HTMLElement | null>): number {
  const [wanted, setWanted] = useState(() =>
    soughtStore.getSnapshot() === null ? Math.max(0, count - FIRST_COUNT) : 0,
  )
  const from = Math.max(0, Math.min(wanted, count - FIRST_COUNT))
  const distance = useRef(0)

  useEffect(() => {
    if (from === 0) return
    const showAll = () => flushSync(() => setWanted(0))
    addEventListener('beforeprint', showAll)
    const cancel = whenIdle(() => {
      const scroller = scrollerRef.current
      distance.current = scroller ? scroller.scrollHeight - scroller.scrollTop : 0
      const next = from - STEP_COUNT
      // A group is drawn once, whole.
      startTransition(() => setWanted(next - (next % GROUP_TURN_COUNT)))
    }, STEP_WITHIN_MS)
    return () => {
      removeEventListener('beforeprint', showAll)
      cancel()
    }
  }, [from, scrollerRef])

  // Where the browser does not do it by itself: what is read stays where it is while the list grows above it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever it has grown
  useLayoutEffect(() => {
    const scroller = scrollerRef.current
    if (!scroller || distance.current === 0 || CSS.supports('overflow-anchor: auto')) return
    scroller.scrollTop = scroller.scrollHeight - distance.current
  }, [from, scrollerRef])

  return from
}
