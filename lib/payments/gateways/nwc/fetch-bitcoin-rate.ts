import 'server-only'
import { z } from 'zod'
import { compare, type Decimal, parseDecimal } from '@/lib/money/decimal'
import { GatewayError } from '../../domain/gateway'
import { fetchJson } from '../../server/fetch-json'

/** Coinbase's public spot price. */
export const DEFAULT_RATE_URL = 'https://api.coinbase.com/v2/prices/BTC-USD/spot'

const TIMEOUT_MS = 5_000
const RESPONSE_BYTES_MAX = 16 * 1024
/** A rate outside was misread or is a lie: on either, somebody would be charged absurdly. */
const RATE_MIN: Decimal = { coefficient: 1_000n, scale: 0 }
const RATE_MAX: Decimal = { coefficient: 100_000_000n, scale: 0 }

const rateSchema = z.object({
  data: z.object({ amount: z.string(), base: z.literal('BTC'), currency: z.literal('USD') }),
})

/** Dollars per bitcoin, from `{"data":{"amount":"85240.10","base":"BTC","currency":"USD"}}`. @throws GatewayError */
export async function fetchBitcoinRate(url: string): Promise<Decimal> {
  const { body } = await fetchJson({ url, timeoutMs: TIMEOUT_MS, responseBytesMax: RESPONSE_BYTES_MAX })
  const parsed = rateSchema.safeParse(body)
  const rate = parsed.success ? parseDecimal(parsed.data.data.amount) : null
  if (rate && compare(rate, RATE_MIN) >= 0 && compare(rate, RATE_MAX) <= 0) return rate
  throw new GatewayError('The source of the bitcoin rate answered with none.')
}
