import { midnight } from '@/components/ui/midnight'

export interface DayGroup<Entry> {
  /** Whole days before today; 0 is today. */
  readonly daysAgo: number
  readonly day: Date
  readonly entries: readonly Entry[]
}

/** Groups entries by the local day of their last message, keeping their order. */
export function groupByDay<Entry extends { writtenMs: number }>(
  entries: readonly Entry[],
  now: Date,
): readonly DayGroup<Entry>[] {
  const groups = new Map<number, { day: Date; entries: Entry[] }>()
  const today = midnight(now)
  for (const entry of entries) {
    const day = midnight(new Date(entry.writtenMs))
    const known = groups.get(day.getTime())
    if (known) known.entries.push(entry)
    else groups.set(day.getTime(), { day, entries: [entry] })
  }
  return [...groups.values()].map(group => ({ ...group, daysAgo: daysBetween(group.day, today) }))
}

const DAY_MS = 86_400_000

/** Rounded, since days on which the clocks change have 23 or 25 hours. */
function daysBetween(earlier: Date, later: Date): number {
  return Math.round((later.getTime() - earlier.getTime()) / DAY_MS)
}
