import { type RefObject, startTransition, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { whenIdle } from '@/lib/local/when-idle'
import { soughtStore } from './select-conversation'
import { GROUP_TURN_COUNT, type ShownTurn } from './shown-turns'

/** More than a screen shows. */
const FIRST_COUNT = 8
/** Above a place in the middle: what is at the very beginning is not kept in its place while the list grows above. */
const ABOVE_PLACE_COUNT = 2
/** So many at a time take no longer than a frame or two of a slow computer. */
const STEP_COUNT = 2 * GROUP_TURN_COUNT
/** To take turns off the page takes a fifth of what it takes to draw them. */
const LEFT_STEP_GROUP_COUNT = 4
const STEP_WITHIN_MS = 200
/** What is read aloud, and what would keep the rest of the page from being used. */
const AT_WORK = 'progress, dialog[open], [role="menu"]'

/** Turns that stand on the page together. */
export interface ShownGroup {
  readonly startIndex: number
  readonly turns: readonly ShownTurn[]
}

export interface Shown {
  readonly groups: readonly (readonly ShownTurn[])[]
  readonly from: number
  /** The first that is not shown. */
  readonly until: number
  /** What was shown beyond that, and is on the page, unseen, until it is taken off. */
  readonly left: readonly ShownGroup[]
}

const ALL = { from: 0, until: Number.POSITIVE_INFINITY }

/** Where its group begins: one is drawn whole at once, and is not made higher under who reads in it. */
const toGroup = (index: number): number => index - (index % GROUP_TURN_COUNT)
const countOf = (groups: Shown['groups']): number => groups.reduce((count, { length }) => count + length, 0)

export function shownGroups({ groups, from, until }: Omit<Shown, 'left'>): readonly ShownGroup[] {
  return groups.flatMap((group, index) => {
    const startIndex = index * GROUP_TURN_COUNT
    const first = Math.max(0, from - startIndex)
    const end = Math.min(group.length, until - startIndex)
    if (first >= end) return []
    const isWhole = first === 0 && end === group.length
    return [{ startIndex, turns: isWhole ? group : group.slice(first, end) }]
  })
}

/** What is shown once these are the turns. Many new ones at once, as after an undo, come step by step. */
export function shownNext(known: Shown, groups: Shown['groups']): Shown {
  const [knownCount, count] = [countOf(known.groups), countOf(groups)]
  const isMuchNew = known.until >= knownCount && count > knownCount + FIRST_COUNT
  const newUntil = isMuchNew ? knownCount + FIRST_COUNT : ALL.until
  return withoutShown({
    groups,
    from: Math.max(0, Math.min(known.from, count - FIRST_COUNT)),
    // What is new stands at the end.
    until: count === knownCount ? known.until : newUntil,
    left: [...shownGroups(known), ...known.left],
  })
}

/** The next step towards all of it and nothing else. */
export function shownStep(known: Shown): Shown {
  const { from, until, left } = known
  if (left.length > 0) return { ...known, left: left.slice(0, -LEFT_STEP_GROUP_COUNT) }
  return until >= countOf(known.groups)
    ? { ...known, from: Math.max(0, toGroup(from - STEP_COUNT)) }
    : { ...known, until: toGroup(until + STEP_COUNT) }
}

function withoutShown(known: Shown): Shown {
  const indexes = new Set(shownGroups(known).map(({ startIndex }) => startIndex))
  return { ...known, left: known.left.filter(({ startIndex }) => !indexes.has(startIndex)) }
}

/** In what nobody has come near, nothing can be at work; and to look through all of it takes longer than a frame. */
function turnsAtWork(group: Element): string[] {
  const { turns = '', used } = group instanceof HTMLElement ? group.dataset : {}
  return used !== undefined && group.querySelector(AT_WORK) ? [turns] : []
}

interface ShownRange extends Pick<Shown, 'left'> {
  readonly shown: readonly ShownGroup[]
  /** Nothing is missing below. */
  readonly hasEnd: boolean
  readonly showEnd: () => void
}

/**
 * Which turns of a conversation are on the page: those at its end at once, or those around the place that it
 * opens at, and the rest, step by step, whenever the browser has a moment. In the end all of it is there, to be
 * found, printed and read aloud; a search whose result was opened, and a printer, get it all at once. What is
 * not to be shown any more goes the same way: a little, and what is at work, at once, the rest bit by bit.
 *
 * @param placeIndex where it opens, if not at its end
 * @param onGone null, unless there are no groups any more: told when the last of them is off the page
 */
export function useShownRange(
  groups: Shown['groups'],
  scrollerRef: RefObject<HTMLElement | null>,
  placeIndex: number | null,
  onGone: (() => void) | null,
): ShownRange {
  const [known, setKnown] = useState<Shown>(() => {
    const range = { ...ALL, groups, left: [] }
    if (soughtStore.getSnapshot() !== null) return range
    if (placeIndex === null) return { ...range, from: Math.max(0, countOf(groups) - FIRST_COUNT) }
    const from = toGroup(Math.max(0, placeIndex - ABOVE_PLACE_COUNT))
    return { ...range, from, until: placeIndex + FIRST_COUNT }
  })
  const next = known.groups === groups ? known : shownNext(known, groups)
  if (next !== known) setKnown(next)
  const { from, until, left } = next
  const hasEnd = until >= countOf(groups)
  const showEnd = () => setKnown(now => withoutShown({ ...now, until: ALL.until }))
  const distance = useRef(0)

  // Once it is known where somebody was, and before anything is painted.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there are other turns
  useLayoutEffect(() => {
    if (left.length === 0) return
    const keys = new Set([...(scrollerRef.current?.firstElementChild?.children ?? [])].flatMap(turnsAtWork))
    setKnown(now => ({
      ...now,
      left:
        now.left.length <= LEFT_STEP_GROUP_COUNT
          ? []
          : now.left.filter(one => !keys.has(`${one.startIndex}`)),
    }))
  }, [groups])

  useEffect(() => {
    const { from, left } = next
    if (from === 0 && hasEnd && left.length === 0) return onGone?.()
    const showAll = () => flushSync(() => setKnown(now => ({ ...now, ...ALL, left: [] })))
    addEventListener('beforeprint', showAll)
    const cancel = whenIdle(() => {
      const scroller = left.length === 0 && hasEnd ? scrollerRef.current : null
      distance.current = scroller ? scroller.scrollHeight - scroller.scrollTop : 0
      startTransition(() => setKnown(shownStep))
    }, STEP_WITHIN_MS)
    return () => {
      removeEventListener('beforeprint', showAll)
      cancel()
    }
  }, [next, hasEnd, scrollerRef, onGone])

  // Where the browser does not do it by itself: what is read stays where it is while the list grows above it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever it has grown
  useLayoutEffect(() => {
    const scroller = scrollerRef.current
    if (!scroller || distance.current === 0 || CSS.supports('overflow-anchor: auto')) return
    scroller.scrollTop = scroller.scrollHeight - distance.current
  }, [from, scrollerRef])

  return { shown: shownGroups(next), left, hasEnd, showEnd }
}
