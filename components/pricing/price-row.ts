import { averageMessageCost } from '@/lib/catalogue/domain/average-message-cost'
import type { Model, ModelKind } from '@/lib/catalogue/domain/model'
import { mainInput, priceOf } from '@/lib/catalogue/domain/price-fields'
import { type Decimal, formatDecimal, isZero, MILLION, multiply } from '@/lib/money/decimal'
import type { Nano } from '@/lib/money/nano'

/** A row of the price list. Amounts are decimal strings in dollars, null if the model has no such price. */
export interface PriceRow {
  id: string
  name: string
  kind: ModelKind
  contextLength: number | null
  inputPerMillionUsd: string | null
  outputPerMillionUsd: string | null
  perImageUsd: string | null
  perRequestUsd: string | null
  perMillionCharactersUsd: string | null
  perMinuteUsd: string | null
  recordingMinUsd: string | null
  averageMessageNano: Nano
}

const SECONDS_PER_MINUTE: Decimal = { coefficient: 60n, scale: 0 }

export function priceRow(model: Model): PriceRow {
  const { id, name, kind, contextLength, prices } = model
  return {
    id,
    name,
    kind,
    contextLength,
    inputPerMillionUsd: amount(multiply(priceOf(prices, mainInput(kind)), MILLION)),
    outputPerMillionUsd: amount(multiply(prices.completion, MILLION)),
    perImageUsd: amount(prices.image),
    perRequestUsd: amount(prices.request),
    perMillionCharactersUsd: prices.inputCharacter && amount(multiply(prices.inputCharacter, MILLION)),
    perMinuteUsd: prices.inputSecond && amount(multiply(prices.inputSecond, SECONDS_PER_MINUTE)),
    recordingMinUsd: prices.recordingMin && amount(prices.recordingMin),
    averageMessageNano: averageMessageCost(model),
  }
}

export type PriceUnit = 'image' | 'character' | 'minute' | 'recording' | 'request' | 'input' | 'output'

/** The prices that a model has, the most telling unit first. */
export function unitPrices(row: PriceRow): { unit: PriceUnit; usd: string }[] {
  const all: { unit: PriceUnit; usd: string | null }[] = [
    { unit: 'image', usd: row.perImageUsd },
    { unit: 'character', usd: row.perMillionCharactersUsd },
    { unit: 'minute', usd: row.perMinuteUsd },
    { unit: 'recording', usd: row.recordingMinUsd },
    { unit: 'request', usd: row.perRequestUsd },
    { unit: 'input', usd: row.inputPerMillionUsd },
    { unit: 'output', usd: row.outputPerMillionUsd },
  ]
  return all.flatMap(({ unit, usd }) => (usd === null ? [] : [{ unit, usd }]))
}

function amount(usd: Decimal): string | null {
  return isZero(usd) ? null : formatDecimal(usd)
}
