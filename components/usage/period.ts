import { midnight } from '@/components/ui/midnight'

export const PERIODS = ['day', 'week', 'month', 'all'] as const
export type Period = (typeof PERIODS)[number]

const DAY_COUNTS = { day: 1, week: 7, month: 30, all: null } as const

/** The local midnight at which the period begins, in Unix seconds; null for all time. */
export function periodStartSeconds(period: Period, nowMs: number): number | null {
  const dayCount = DAY_COUNTS[period]
  if (dayCount === null) return null
  return Math.floor(midnight(new Date(nowMs), dayCount - 1).getTime() / 1000)
}
