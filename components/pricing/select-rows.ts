import { compare, parseDecimal, ZERO } from '@/lib/money/decimal'
import type { PriceRow } from './price-row'

export const SORT_ORDERS = ['recommended', 'name', 'message', 'input', 'output'] as const
export type SortOrder = (typeof SORT_ORDERS)[number]

/**
 * The rows whose name or id has every word of the search, in the chosen order. Equal rows keep the operator's order.
 */
export function selectRows(
  rows: readonly PriceRow[],
  { search, sort }: { search: string; sort: SortOrder },
): PriceRow[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const found = rows.filter(row => {
    const text = `${row.name} ${row.id}`.toLowerCase()
    return words.every(word => text.includes(word))
  })
  return sort === 'recommended' ? found : found.sort(COMPARISONS[sort])
}

type Comparison = (left: PriceRow, right: PriceRow) => number

const COMPARISONS: Record<Exclude<SortOrder, 'recommended'>, Comparison> = {
  name: (left, right) => left.name.localeCompare(right.name),
  message: (left, right) => Number(left.averageMessageNano - right.averageMessageNano),
  input: (left, right) => compareAmounts(left.inputPerMillionUsd, right.inputPerMillionUsd),
  output: (left, right) => compareAmounts(left.outputPerMillionUsd, right.outputPerMillionUsd),
}

/** A missing price counts as zero. */
function compareAmounts(left: string | null, right: string | null): number {
  return compare(parseDecimal(left ?? '0') ?? ZERO, parseDecimal(right ?? '0') ?? ZERO)
}
