import { type RefObject, startTransition, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { whenIdle } from '@/lib/local/when-idle'
import { soughtStore } from './select-conversation'
import { GROUP_TURN_COUNT } from './shown-turns'

/** More than a screen shows. */
const FIRST_COUNT = 8
/** Above a place in the middle: what is at the very beginning is not kept in its place while the list grows above. */
const ABOVE_PLACE_COUNT = 2
/** So many at a time take no longer than a frame or two of a slow computer. */
const STEP_COUNT = 2 * GROUP_TURN_COUNT
const STEP_WITHIN_MS = 200

interface ShownRange {
  readonly from: number
  /** The first that is not shown. */
  readonly until: number
  /** Nothing is missing below. */
  readonly hasEnd: boolean
  readonly showEnd: () => void
}

const ALL = { from: 0, until: Number.POSITIVE_INFINITY }

/**
 * Which messages of a conversation are on the page: those at its end at once, or those around the place that it
 * opens at, and the rest, step by step, whenever the browser has a moment. In the end all of it is there, to be
 * found, printed and read aloud; a search whose result was opened, and a printer, get it all at once.
 *
 * @param placeIndex where it opens, if not at its end
 */
export function useShownRange(
  count: number,
  scrollerRef: RefObject<HTMLElement | null>,
  placeIndex: number | null,
): ShownRange {
  const [wanted, setWanted] = useState(() => {
    if (soughtStore.getSnapshot() !== null) return ALL
    if (placeIndex === null) return { ...ALL, from: Math.max(0, count - FIRST_COUNT) }
    return { from: Math.max(0, placeIndex - ABOVE_PLACE_COUNT), until: placeIndex + FIRST_COUNT }
  })
  const showEnd = () => setWanted(known => ({ ...known, until: ALL.until }))
  const [knownCount, setKnownCount] = useState(count)
  if (count !== knownCount) {
    setKnownCount(count)
    // What is new stands at the end.
    showEnd()
  }
  const from = Math.max(0, Math.min(wanted.from, count - FIRST_COUNT))
  const { until } = wanted
  const hasEnd = until >= count
  const distance = useRef(0)

  useEffect(() => {
    if (from === 0 && hasEnd) return
    const showAll = () => flushSync(() => setWanted(ALL))
    addEventListener('beforeprint', showAll)
    const cancel = whenIdle(() => {
      const scroller = scrollerRef.current
      distance.current = scroller && hasEnd ? scroller.scrollHeight - scroller.scrollTop : 0
      // A group is drawn once, whole.
      const next = from - STEP_COUNT
      const nextFrom = next - (next % GROUP_TURN_COUNT)
      const nextUntil = until + STEP_COUNT
      const nextRange = hasEnd
        ? { from: nextFrom, until }
        : { from, until: nextUntil - (nextUntil % GROUP_TURN_COUNT) }
      startTransition(() => setWanted(nextRange))
    }, STEP_WITHIN_MS)
    return () => {
      removeEventListener('beforeprint', showAll)
      cancel()
    }
  }, [from, until, hasEnd, scrollerRef])

  // Where the browser does not do it by itself: what is read stays where it is while the list grows above it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever it has grown
  useLayoutEffect(() => {
    const scroller = scrollerRef.current
    if (!scroller || distance.current === 0 || CSS.supports('overflow-anchor: auto')) return
    scroller.scrollTop = scroller.scrollHeight - distance.current
  }, [from, scrollerRef])

  return { from, until, hasEnd, showEnd }
}
