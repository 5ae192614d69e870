import { cachedInputPrice, cost, reasoningPrice } from '@/lib/catalogue/domain/cost'
import { parsePriceSnapshot } from '@/lib/catalogue/domain/price-snapshot'
import type { UsageEntry } from '@/lib/ledger/client/usage-entry'
import { add, type Decimal, decimalFromInteger, formatDecimal, isZero, multiply } from '@/lib/money/decimal'
import { formatUsd, parseNano } from '@/lib/money/nano'

export type CostPartKind = 'input' | 'cachedInput' | 'output' | 'reasoning' | 'request'

export interface CostPart {
  kind: CostPartKind
  count: number
  /** Decimal dollars: of a million tokens, or of the one request. */
  priceUsd: string
  /** Decimal dollars. */
  partUsd: string
}

export interface CostParts {
  parts: CostPart[]
  /** What the parts come to, rounded up to a nano-dollar as a charge is. */
  sumUsd: string
  /** What reading from the cache saved; null when nothing was. */
  cacheDiscountUsd: string | null
  /** What was charged beyond the sum of the parts, or below it; null when they agree. */
  differenceUsd: string | null
}

const TOKENS_PER_PRICE = decimalFromInteger(1_000_000)
const MINUS_ONE = decimalFromInteger(-1)

type Call = Pick<
  UsageEntry,
  | 'inputTokenCount'
  | 'cachedInputTokenCount'
  | 'outputTokenCount'
  | 'reasoningTokenCount'
  | 'priceSnapshot'
  | 'priceUsd'
>

/** Tokens times price, as the server reckons. Null for calls that are not priced by token and request. */
export function costParts(call: Call): CostParts | null {
  const prices = parsePriceSnapshot(call.priceSnapshot)
  if (!prices || prices.inputCharacter !== null || prices.inputSecond !== null) return null
  const cachedCount = Math.min(call.cachedInputTokenCount, call.inputTokenCount)
  const reasoningCount = Math.min(call.reasoningTokenCount, call.outputTokenCount)
  const tokens = (kind: CostPartKind, count: number, price: Decimal): CostPart[] =>
    count === 0
      ? []
      : [
          {
            kind,
            count,
            priceUsd: formatDecimal(multiply(price, TOKENS_PER_PRICE)),
            partUsd: formatDecimal(times(price, count)),
          },
        ]
  const parts = [
    ...tokens('input', call.inputTokenCount - cachedCount, prices.prompt),
    ...tokens('cachedInput', cachedCount, cachedInputPrice(prices)),
    ...tokens('output', call.outputTokenCount - reasoningCount, prices.completion),
    ...tokens('reasoning', reasoningCount, reasoningPrice(prices)),
    ...(isZero(prices.request)
      ? []
      : [
          {
            kind: 'request' as const,
            count: 1,
            priceUsd: formatDecimal(prices.request),
            partUsd: formatDecimal(prices.request),
          },
        ]),
  ]
  const sumNano = cost({ prices, usage: { ...call, imageCount: 0 } })
  const chargedNano = parseNano(call.priceUsd.toFixed(9)) ?? 0n
  return {
    parts,
    sumUsd: formatUsd(sumNano),
    cacheDiscountUsd: discount(prices.prompt, cachedInputPrice(prices), cachedCount),
    differenceUsd: sumNano === chargedNano ? null : formatUsd(chargedNano - sumNano),
  }
}

function discount(price: Decimal, cachedPrice: Decimal, count: number): string | null {
  const saved = add(times(price, count), multiply(times(cachedPrice, count), MINUS_ONE))
  return saved.coefficient > 0n ? formatDecimal(saved) : null
}

function times(price: Decimal, count: number): Decimal {
  return multiply(price, decimalFromInteger(count))
}
