import type { Query } from '@/lib/api/contracts/queries'
import { cost, NO_USAGE } from '@/lib/catalogue/domain/cost'
import type { Prices } from '@/lib/catalogue/domain/model'
import { mainInput, priceOf } from '@/lib/catalogue/domain/price-fields'
import { dearestPrices } from '@/lib/catalogue/domain/price-overrides'
import { parsePriceSnapshot } from '@/lib/catalogue/domain/price-snapshot'
import {
  add,
  type Decimal,
  decimalFromInteger,
  formatDecimal,
  isZero,
  MILLION,
  multiply,
} from '@/lib/money/decimal'
import { formatUsd, type Nano, usdNumberToNano } from '@/lib/money/nano'

type CostPartKind = 'input' | 'cachedInput' | 'output' | 'reasoning' | 'picture' | 'request'

interface CostPart {
  kind: CostPartKind
  count: number
  /** Decimal dollars per million tokens, per picture, or for the request. */
  priceUsd: string
  /** Decimal dollars. */
  partUsd: string
}

interface CostParts {
  parts: CostPart[]
  /** What reading from the cache saved; null if nothing. */
  cacheDiscountUsd: string | null
  /** What was charged above or below the sum of the parts; null if they agree. */
  differenceUsd: string | null
}

/** The most pictures that one request can produce or include. */
const PICTURE_COUNT_MAX = 26
const MINUS_ONE = decimalFromInteger(-1)

type Call = Pick<
  Query,
  | 'input_count'
  | 'cached_input_count'
  | 'output_count'
  | 'reasoning_count'
  | 'price_snapshot'
  | 'price_in_usd'
  | 'query_type'
  | 'timestamp'
>

/** Tokens times price, as the server calculates. Null for calls that are not priced by token and request. */
export function costParts(call: Call): CostParts | null {
  const snapshot = parsePriceSnapshot(call.price_snapshot)
  if (!snapshot || snapshot.inputCharacter !== null || snapshot.inputSecond !== null) return null
  const prices = { ...pricesOfCall(call, snapshot), overrides: [] }
  const cachedCount = Math.min(call.cached_input_count, call.input_count)
  const reasoningCount = Math.min(call.reasoning_count, call.output_count)
  const tokens = (kind: CostPartKind, count: number, price: Decimal): CostPart[] =>
    count === 0
      ? []
      : [
          {
            kind,
            count,
            priceUsd: formatDecimal(multiply(price, MILLION)),
            partUsd: formatDecimal(times(price, count)),
          },
        ]
  const input = mainInput(call.query_type)
  const inputPrice = priceOf(prices, input)
  const audioInputTokenCount = input === 'inputAudio' ? call.input_count : 0
  const chargedNano = usdNumberToNano(call.price_in_usd)
  const pictureCount = call.query_type === 'image' ? picturesPaid({ call, prices, chargedNano }) : 0
  const parts = [
    ...tokens('input', call.input_count - cachedCount, inputPrice),
    ...tokens('cachedInput', cachedCount, priceOf(prices, 'inputCacheRead')),
    ...tokens('output', call.output_count - reasoningCount, prices.completion),
    ...tokens('reasoning', reasoningCount, priceOf(prices, 'internalReasoning')),
    ...(pictureCount === 0
      ? []
      : [
          {
            kind: 'picture' as const,
            count: pictureCount,
            priceUsd: formatDecimal(prices.image),
            partUsd: formatDecimal(times(prices.image, pictureCount)),
          },
        ]),
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
  const otherCounts = { imageCount: pictureCount, audioInputTokenCount }
  const sumNano = cost({ prices, usage: { ...NO_USAGE, ...countsOfCall(call), ...otherCounts } })
  return {
    parts,
    cacheDiscountUsd: discount(inputPrice, priceOf(prices, 'inputCacheRead'), cachedCount),
    differenceUsd: sumNano === chargedNano ? null : formatUsd(chargedNano - sumNano),
  }
}

/** The prices that applied to a prompt of this length; only chats are charged by the hour. */
function pricesOfCall({ input_count: inputTokenCount, query_type, timestamp }: Call, prices: Prices) {
  return dearestPrices(prices, {
    inputTokenCountMin: inputTokenCount,
    inputTokenCountMax: inputTokenCount,
    at: query_type === 'chat' ? new Date(timestamp) : undefined,
  })
}

export function countsOfCall(call: Call) {
  return {
    inputTokenCount: call.input_count,
    cachedInputTokenCount: call.cached_input_count,
    outputTokenCount: call.output_count,
    reasoningTokenCount: call.reasoning_count,
  }
}

/** The list of calls has no number of pictures, so it is derived from what was charged beyond the tokens. */
function picturesPaid(input: { call: Call; prices: Prices; chargedNano: Nano }): number {
  const { call, prices, chargedNano } = input
  const costOf = (imageCount: number) =>
    cost({ prices, usage: { ...NO_USAGE, ...countsOfCall(call), imageCount } })
  let count = 0
  while (count < PICTURE_COUNT_MAX && costOf(count + 1) <= chargedNano && !isZero(prices.image)) count += 1
  return count
}

function discount(price: Decimal, cachedPrice: Decimal, count: number): string | null {
  const saved = add(times(price, count), multiply(times(cachedPrice, count), MINUS_ONE))
  return saved.coefficient > 0n ? formatDecimal(saved) : null
}

function times(price: Decimal, count: number): Decimal {
  return multiply(price, decimalFromInteger(count))
}
