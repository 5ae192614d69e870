import { z } from 'zod'
import { verb } from '@/lib/host-mode/domain/contract'
import { wireNothing, wireText } from '@/lib/host-mode/domain/values'
import { fieldsOf } from '@/lib/http/domain/is-object'
import { formatUsd } from '@/lib/money/nano'
import { accountOrKey, exchangeDetail, OTHER_COUNT_NAMES, type UsageRecord, usageDetail } from './usage'

/** Enough for the largest snapshot of prices in base64. */
const RECEIPT_LENGTH_MAX = 400_000
/** The most keys that are published: one a day for almost three years. */
export const RECEIPT_KEY_COUNT_MAX = 1_000
const usd = z.string().regex(/^\d+(\.\d{1,9})?$/)

/**
 * The whole content of a receipt. It shows a call and its price, but neither whose call it was nor the key. The names
 * are the API's.
 */
export const receiptSchema = z.strictObject({
  version: z.literal(1),
  iss: z.string().describe('The site that charged. Its public keys are at `<iss>/.well-known/jwks.json`.'),
  id: z.string().describe('The id of the call: the `x-exchange-id` of its answer.'),
  called_at: z.iso.datetime(),
  model: z.string(),
  query_type: exchangeDetail.shape.queryType,
  query_source: exchangeDetail.shape.querySource,
  status: usageDetail.shape.status,
  error_code: z.string().nullable(),
  prices: z
    .record(z.string(), z.string())
    .describe('The prices at the time of the call, markup included, as decimal strings in USD per unit.'),
  price_version: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/)
    .describe('The hash of `prices` as JSON without spaces and with sorted names.'),
  counts: z
    .partialRecord(
      z.enum(['input', 'cached_input', 'output', 'reasoning', ...OTHER_COUNT_NAMES]),
      z.int().nonnegative(),
    )
    .describe(
      'An absent count is zero. Characters or seconds instead of tokens if the price is per character or second.',
    ),
  estimated: z.boolean().describe('True if the counts are the site’s own, because the host reported none.'),
  cost_basis: usageDetail.shape.costBasis.describe('How the charge was determined.'),
  other_model: z
    .boolean()
    .describe('Set if another model of the request answered, whose prices are not in `prices`.'),
  service_tier: z.string().nullable().describe('The service tier whose prices were charged.'),
  held_usd: usd,
  charged_usd: usd.describe('Never more than was held. Zero if no answer came.'),
})

export type CallReceipt = z.output<typeof receiptSchema>

export function receiptOf(record: UsageRecord, { iss, priceVersion }: { iss: string; priceVersion: string }) {
  return {
    version: 1,
    iss,
    id: record.holdId,
    called_at: record.createdAt.toISOString(),
    model: record.modelId,
    query_type: record.queryType,
    query_source: record.querySource,
    status: record.status,
    error_code: record.errorCode,
    prices: sortedByName(record.priceSnapshot),
    price_version: priceVersion,
    counts: {
      input: record.inputTokenCount,
      cached_input: record.cachedInputTokenCount,
      output: record.outputTokenCount,
      reasoning: record.reasoningTokenCount,
      ...record.otherCounts,
    },
    estimated: record.estimated,
    cost_basis: record.costBasis,
    other_model: record.pricedAs?.isOtherModel ?? false,
    service_tier: record.pricedAs?.serviceTier ?? null,
    held_usd: formatUsd(record.heldNano),
    charged_usd: formatUsd(record.chargedNano),
  } satisfies CallReceipt
}

/** In the order that a price version is made in; a database keeps names in an order of its own. */
export function sortedByName(prices: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(prices).sort(([left], [right]) => (left < right ? -1 : 1)))
}

/** The content of a signed receipt, without checking its signature; null if it is none. */
export function openReceipt(jws: string): CallReceipt | null {
  return receiptSchema.safeParse(payloadOf(jws)).data ?? null
}

function payloadOf(jws: string): unknown {
  try {
    const [, payload = ''] = jws.split('.')
    const binary = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, character => character.charCodeAt(0))
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return null
  }
}

/** The public half of a key, in the form of RFC 8037. */
export const receiptKeySchema = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string().regex(/^[\w-]{43}$/),
  kid: z
    .string()
    .regex(/^[\w-]{43}$/)
    .describe('The thumbprint of the key, by RFC 7638.'),
  use: z.literal('sig'),
  alg: z.literal('EdDSA'),
})

export type ReceiptKey = z.output<typeof receiptKeySchema>

const signReceiptInput = accountOrKey.extend({
  holdId: wireText,
  /** The site that charged, and publishes the keys. */
  iss: wireText,
})

export type SignReceiptInput = z.output<typeof signReceiptInput>

export const RECEIPT_VERBS = {
  /** A compact JWS. Null for an exchange that is still running, unknown, or another account's or key's. */
  signReceipt: verb({
    input: signReceiptInput,
    output: z.object({ jws: z.string().max(RECEIPT_LENGTH_MAX) }).nullable(),
    isBelievable: (asked, answered) => {
      if (answered === null) return true
      // Not the whole form: a host is updated first, and may write more into a receipt than is known here.
      const { id, iss } = fieldsOf(payloadOf(answered.jws))
      return id === asked.holdId && iss === asked.iss
    },
  }),
  /** Every key that has ever signed, the newest first. */
  listReceiptKeys: verb({ input: wireNothing, output: z.array(receiptKeySchema).max(RECEIPT_KEY_COUNT_MAX) }),
}
