import type { Query } from '@/lib/api/contracts/queries'

const NANO_PER_USD = 1_000_000_000

export interface DayTotal {
  /** Midnight, where the person is. */
  date: Date
  usd: number
}

export interface ModelTotal {
  modelId: string
  usd: number
  callCount: number
}

type Call = Pick<Query, 'timestamp' | 'model' | 'price_in_usd'>

/** A chart of more days than this cannot be read on a phone; the newest count. */
export const DAY_COUNT_MAX = 60

/** A chart of fewer days than this is one block that says nothing. */
const DAY_COUNT_MIN = 7

/**
 * What each day cost, oldest first, days without a call included, up to today: from the first call, and for
 * a week at least. Nothing where there were no calls.
 */
export function dailyTotals(calls: readonly Call[], nowMs: number): DayTotal[] {
  const nanoByDay = new Map<number, number>()
  for (const { timestamp, price_in_usd: usd } of calls) {
    const day = midnight(new Date(timestamp)).getTime()
    nanoByDay.set(day, (nanoByDay.get(day) ?? 0) + toNano(usd))
  }
  const first = Math.min(...nanoByDay.keys())
  const days: DayTotal[] = []
  let date = midnight(new Date(nowMs))
  const isShown = () =>
    calls.length > 0 &&
    (date.getTime() >= first || days.length < DAY_COUNT_MIN) &&
    days.length < DAY_COUNT_MAX
  while (isShown()) {
    days.push({ date, usd: (nanoByDay.get(date.getTime()) ?? 0) / NANO_PER_USD })
    date = new Date(date.getFullYear(), date.getMonth(), date.getDate() - 1)
  }
  return days.reverse()
}

/** What each model cost, the dearest first. */
export function modelTotals(calls: readonly Call[]): ModelTotal[] {
  const byModel = new Map<string, { nano: number; callCount: number }>()
  for (const { model, price_in_usd: usd } of calls) {
    const { nano, callCount } = byModel.get(model) ?? { nano: 0, callCount: 0 }
    byModel.set(model, { nano: nano + toNano(usd), callCount: callCount + 1 })
  }
  return [...byModel]
    .map(([modelId, { nano, callCount }]) => ({ modelId, usd: nano / NANO_PER_USD, callCount }))
    .sort((left, right) => right.usd - left.usd || right.callCount - left.callCount)
}

/** Whole nano-dollars add up exactly where dollars as numbers would not. */
function toNano(usd: number): number {
  return Math.round(usd * NANO_PER_USD)
}

function midnight(date: Date): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate())
}
