import { type RefObject, startTransition, useEffect, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { whenIdle } from '@/lib/local/when-idle'
import { openedSearchStore } from './select-conversation'
import { GROUP_TURN_COUNT, type ShownTurn } from './shown-turns'

/** More than a screen shows. */
const FIRST_COUNT = 8
/** Above a place in the middle, since the browser does not anchor scrolling at the very top of the list. */
const ABOVE_PLACE_COUNT = 2
/** So many at a time take no longer than a frame or two on a slow computer. */
const STEP_COUNT = 2 * GROUP_TURN_COUNT
/** Unmounting turns takes a fifth of the time that rendering them takes. */
const LEFT_STEP_GROUP_COUNT = 4
const STEP_WITHIN_MS = 200
/** Elements in use: speech that is playing, open dialogs and menus, which would block the rest of the page. */
const AT_WORK = 'progress, dialog[open], [role="menu"]'

/** Turns that are on the page together. */
export interface ShownGroup {
  readonly startIndex: number
  readonly turns: readonly ShownTurn[]
}

export interface Shown {
  readonly groups: readonly (readonly ShownTurn[])[]
  readonly from: number
  /** The index after the last turn shown. */
  readonly until: number
  /** Groups that are no longer shown, but still mounted until they are removed step by step. */
  readonly left: readonly ShownGroup[]
}

const ALL = { from: 0, until: Number.POSITIVE_INFINITY }

/** The index at which its group begins: a group is rendered as a whole, so that it never grows while it is read. */
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

/** The next state for a new list of turns. Many new turns at once, as after an undo, are rendered step by step. */
export function shownNext(known: Shown, groups: Shown['groups']): Shown {
  const [knownCount, count] = [countOf(known.groups), countOf(groups)]
  const isMuchNew = known.until >= knownCount && count > knownCount + FIRST_COUNT
  const newUntil = isMuchNew ? knownCount + FIRST_COUNT : ALL.until
  return withoutShown({
    groups,
    from: Math.max(0, Math.min(known.from, count - FIRST_COUNT)),
    // New turns are at the end.
    until: count === knownCount ? known.until : newUntil,
    left: [...shownGroups(known), ...known.left],
  })
}

/** The next step towards showing everything and nothing else. */
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

/** A group that was never near the viewport cannot be in use, and searching all of them takes longer than a frame. */
function turnsAtWork(group: Element): string[] {
  const { turns = '', used } = group instanceof HTMLElement ? group.dataset : {}
  return used !== undefined && group.querySelector(AT_WORK) ? [turns] : []
}

interface ShownRange extends Pick<Shown, 'left'> {
  readonly shown: readonly ShownGroup[]
  /** Nothing is missing at the end. */
  readonly hasEnd: boolean
  readonly showEnd: () => void
}

/**
 * Which turns of a conversation are on the page: at once those at its end, or around the place where it opens; then the
 * rest, step by step, whenever the browser is idle. In the end everything is there, to be searched, printed and read
 * aloud. For a search result that was opened, and for printing, everything is rendered at once. Turns that are no
 * longer shown are removed the same way: a few, and those in use, at once, the rest step by step.
 *
 * @param placeIndex where it opens, if not at its end
 * @param onGone called when the last group is unmounted, once there are no groups to show; null before
 */
export function useShownRange(
  groups: Shown['groups'],
  scrollerRef: RefObject<HTMLElement | null>,
  placeIndex: number | null,
  onGone: (() => void) | null,
): ShownRange {
  const [known, setKnown] = useState<Shown>(() => {
    const range = { ...ALL, groups, left: [] }
    if (openedSearchStore.getSnapshot() !== null) return range
    if (placeIndex === null) return { ...range, from: Math.max(0, countOf(groups) - FIRST_COUNT) }
    const from = toGroup(Math.max(0, placeIndex - ABOVE_PLACE_COUNT))
    return { ...range, from, until: placeIndex + FIRST_COUNT }
  })
  const next = known.groups === groups ? known : shownNext(known, groups)
  if (next !== known) setKnown(next)
  const { until, left } = next
  const hasEnd = until >= countOf(groups)
  const showEnd = () => setKnown(now => withoutShown({ ...now, until: ALL.until }))

  // Once the reading position is known, and before the next paint.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever the turns change
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
    const cancel = whenIdle(() => startTransition(() => setKnown(shownStep)), STEP_WITHIN_MS)
    return () => {
      removeEventListener('beforeprint', showAll)
      cancel()
    }
  }, [next, hasEnd, onGone])

  return { shown: shownGroups(next), left, hasEnd, showEnd }
}
