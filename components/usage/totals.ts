import { midnight } from '@/components/ui/midnight'
import type { Query } from '@/lib/api/contracts/queries'
import { type Nano, nanoToUsdNumber, usdNumberToNano } from '@/lib/money/nano'

export interface DayTotal {
  /** The local midnight. */
  date: Date
  usd: number
}

export interface ModelTotal {
  modelId: string
  usd: number
  callCount: number
}

type Call = Pick<Query, 'timestamp' | 'model' | 'price_in_usd'>

/** A chart of more days cannot be read on a phone; the newest days are kept. */
export const DAY_COUNT_MAX = 60

/** A chart of fewer days would be a meaningless block. */
const DAY_COUNT_MIN = 7

/**
 * The cost of each day, oldest first and including days without calls, from the first call to today and for at least a
 * week. Empty if there were no calls. A call may be of a later day: this clock may be behind the server's, or have been
 * read before midnight.
 */
export function dailyTotals(calls: readonly Call[], nowMs: number): DayTotal[] {
  const nanoByDay = new Map<number, Nano>()
  for (const { timestamp, price_in_usd: usd } of calls) {
    const day = midnight(new Date(timestamp)).getTime()
    nanoByDay.set(day, (nanoByDay.get(day) ?? 0n) + usdNumberToNano(usd))
  }
  const first = Math.min(...nanoByDay.keys())
  const days: DayTotal[] = []
  let date = midnight(new Date(Math.max(nowMs, ...nanoByDay.keys())))
  const isShown = () =>
    calls.length > 0 &&
    (date.getTime() >= first || days.length < DAY_COUNT_MIN) &&
    days.length < DAY_COUNT_MAX
  while (isShown()) {
    days.push({ date, usd: nanoToUsdNumber(nanoByDay.get(date.getTime()) ?? 0n) })
    date = midnight(date, 1)
  }
  return days.reverse()
}

/** The cost of each model, the most expensive first. */
export function modelTotals(calls: readonly Call[]): ModelTotal[] {
  const byModel = new Map<string, { nano: Nano; callCount: number }>()
  for (const { model, price_in_usd: usd } of calls) {
    const { nano, callCount } = byModel.get(model) ?? { nano: 0n, callCount: 0 }
    byModel.set(model, { nano: nano + usdNumberToNano(usd), callCount: callCount + 1 })
  }
  return [...byModel]
    .map(([modelId, { nano, callCount }]) => ({ modelId, usd: nanoToUsdNumber(nano), callCount }))
    .sort((left, right) => right.usd - left.usd || right.callCount - left.callCount)
}
