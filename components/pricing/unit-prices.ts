import type { PriceRow } from './price-row'

export type PriceUnit = 'image' | 'character' | 'minute' | 'request' | 'input' | 'output'

/** The prices that a model has, the unit that says most first. */
export function unitPrices(row: PriceRow): { unit: PriceUnit; usd: string }[] {
  const all: { unit: PriceUnit; usd: string | null }[] = [
    { unit: 'image', usd: row.perImageUsd },
    { unit: 'character', usd: row.perMillionCharactersUsd },
    { unit: 'minute', usd: row.perMinuteUsd },
    { unit: 'request', usd: row.perRequestUsd },
    { unit: 'input', usd: row.inputPerMillionUsd },
    { unit: 'output', usd: row.outputPerMillionUsd },
  ]
  return all.flatMap(({ unit, usd }) => (usd === null ? [] : [{ unit, usd }]))
}
