import { foldQuery, foldText } from '@/lib/local/domain/fold-text'
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
  const words = foldQuery(search)
  const found = rows.filter(row => {
    const text = foldText(`${row.name} ${row.id}`)
    return words.every(word => text.includes(word))
  })
  return sort === 'recommended' ? found : found.sort(COMPARISONS[sort])
}

/** Six hundred rows hold up a phone for a sixth of a second, and are two hundred screens long. */
const ROW_COUNT = 60

/** The first of each kind: what the page shows before it is asked for more. */
export function firstOfEachKind<Priced extends Pick<PriceRow, 'kind'>>(rows: readonly Priced[]): Priced[] {
  const counts = new Map<string, number>()
  return rows.filter(({ kind }) => {
    const count = counts.get(kind) ?? 0
    counts.set(kind, count + 1)
    return count < ROW_COUNT
  })
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
