import { midnight } from '@/components/ui/midnight'

export interface PeriodGroup<Entry> {
  readonly name: 'today' | 'yesterday' | 'lastWeek' | 'month'
  /** The day on which the period begins. */
  readonly begin: Date
  readonly entries: readonly Entry[]
}

const WEEK_DAYS = 7

/** Groups entries by the local period of their last message, keeping their order. */
export function groupByPeriod<Entry extends { writtenMs: number }>(
  entries: readonly Entry[],
  now: Date,
): readonly PeriodGroup<Entry>[] {
  const recent = [
    { name: 'today', begin: midnight(now) },
    { name: 'yesterday', begin: midnight(now, 1) },
    { name: 'lastWeek', begin: midnight(now, WEEK_DAYS) },
  ] as const
  const groups = new Map<number, PeriodGroup<Entry> & { entries: Entry[] }>()
  for (const entry of entries) {
    const written = new Date(entry.writtenMs)
    const period = recent.find(({ begin }) => written >= begin) ?? {
      name: 'month' as const,
      begin: new Date(written.getFullYear(), written.getMonth()),
    }
    const key = period.begin.getTime()
    const known = groups.get(key)
    if (known) known.entries.push(entry)
    else groups.set(key, { ...period, entries: [entry] })
  }
  return [...groups.values()]
}
