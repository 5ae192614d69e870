import { z } from 'zod'
import { MODEL_ID_LENGTH_MAX } from '@/lib/catalogue/domain/model'
import { priceLimits } from '@/lib/exchange/kinds/chat/contract'
import { type ApiKey, type KeyRouting, resetPeriod } from '@/lib/ledger/domain/keys'
import { nanoToUsdNumber, parseNano } from '@/lib/money/nano'
import { KEY_LABEL_LENGTH_MAX, USAGE_LIMIT_USD_MAX, USAGE_LIMIT_USD_MIN } from '../domain/api-limits'
import { storableText, unixSeconds, unixSecondsOf } from './values'

const label = storableText.trim().max(KEY_LABEL_LENGTH_MAX)

const usageLimit = z
  .number()
  .min(USAGE_LIMIT_USD_MIN)
  .max(USAGE_LIMIT_USD_MAX)
  .transform((usd, context) => {
    const nano = parseNano(String(usd))
    if (nano === null) context.addIssue({ code: 'custom', message: 'expected at most nine decimals' })
    return nano ?? 0n
  })
  .nullable()

/** The year 3000. Anything later is milliseconds, or a mistake. */
const EXPIRE_AT_SECONDS_MAX = 32_503_680_000

const expireAt = z
  .int()
  .positive()
  .max(EXPIRE_AT_SECONDS_MAX, 'expected unix seconds')
  .transform(seconds => new Date(seconds * 1000))
  .nullable()
  .describe('Unix seconds.')

const maxCharge = z
  .number()
  .positive()
  .max(USAGE_LIMIT_USD_MAX)
  .refine(usd => parseNano(decimalText(usd)) !== null, 'expected at most nine decimals')
  .nullable()

const MODEL_COUNT_MAX = 100

const models = z
  .array(storableText.trim().min(1).max(MODEL_ID_LENGTH_MAX))
  .min(1)
  .max(MODEL_COUNT_MAX)
  .nullable()

/** Without an exponent, in which JavaScript would write a small number. */
function decimalText(usd: number): string {
  return String(usd).includes('e') ? usd.toFixed(12).replace(/0+$/, '') : String(usd)
}

/** Fields of a request that apply to every request of the key. A misspelt one would restrict nothing, so it is refused. */
const routing = z
  .strictObject({
    provider: z
      .strictObject({
        zdr: z.boolean().default(false),
        data_collection: z.enum(['allow', 'deny']).default('allow'),
        max_price: priceLimits.strict().nullable().default(null),
      })
      .prefault({}),
    service_tier: z.enum(['flex']).nullable().default(null),
    max_charge_usd: maxCharge
      .default(null)
      .describe(
        'The most that one request may cost. A request that could cost more is limited to that, or refused.',
      ),
    models: models.default(null).describe('The ids of the only models that may answer.'),
  })
  .meta({ id: 'KeyRouting' })
  .nullable()
  .describe(
    'Restrictions for every request with this key, in the form of `provider` and `service_tier` of a chat request. A request may add restrictions, but not lift any. A request whose restrictions cannot be met is refused. When sent in an update, it replaces all earlier restrictions.',
  )

export const createKeyBody = z
  .strictObject({
    label: label.default(''),
    usage_limit_usd: usageLimit.default(null),
    reset_period: resetPeriod.default('none'),
    routing: routing.default(null),
    expire_at: expireAt.default(null),
  })
  .meta({ id: 'NewKey' })

export const updateKeyBody = z
  .strictObject({
    label: label.optional(),
    usage_limit_usd: usageLimit.optional(),
    reset_period: resetPeriod.optional(),
    routing: routing.optional(),
    expire_at: expireAt.optional(),
  })
  .meta({ id: 'KeyChange' })

/** The settings of a key, as they are sent. */
export type KeySettings = Required<z.input<typeof createKeyBody>>

/** A key in answers of the API. Its secret is only in the answer that created it. */
export const keySchema = z
  .object({
    id: z.string(),
    label: z.string().describe('Empty until somebody names it.'),
    hint: z.string().describe('The last characters of the secret.'),
    usage_limit_usd: z.number().nullable(),
    usage_usd: z.number().describe('Spent in the current reset period.'),
    reset_period: resetPeriod,
    routing,
    expire_at: unixSeconds.nullable(),
    created_at: unixSeconds,
    revoked_at: unixSeconds.nullable(),
  })
  .meta({ id: 'Key' })

export type Key = z.output<typeof keySchema>

export const newKeySchema = keySchema.extend({
  key: z.string().describe('The secret. It is shown only in this answer.'),
  api_key: z.string().describe('The same.'),
})

export type NewKey = z.output<typeof newKeySchema>

export function keyToBody(key: ApiKey): Key {
  return {
    id: key.keyId,
    label: key.label,
    hint: key.hint,
    usage_limit_usd: key.usageLimitNano === null ? null : nanoToUsdNumber(key.usageLimitNano),
    usage_usd: nanoToUsdNumber(key.usageNano),
    reset_period: key.resetPeriod,
    routing: key.routing && routingToBody(key.routing),
    expire_at: key.expiresAt && unixSecondsOf(key.expiresAt),
    created_at: unixSecondsOf(key.createdAt),
    revoked_at: key.revokedAt && unixSecondsOf(key.revokedAt),
  }
}

/** Null if nothing is restricted. */
export function bodyToRouting(body: z.output<typeof routing>): KeyRouting | null {
  if (!body) return null
  const { zdr, data_collection: dataCollection, max_price } = body.provider
  const prices = Object.entries(max_price ?? {}).filter(([, price]) => price != null)
  const maxPrice =
    prices.length > 0 ? Object.fromEntries(prices.map(([name, price]) => [name, String(price)])) : null
  const { service_tier: serviceTier, max_charge_usd: maxCharge, models: allowed } = body
  const limits = {
    ...(maxCharge !== null && { maxChargeUsd: decimalText(maxCharge) }),
    ...(allowed !== null && { models: [...new Set(allowed)] }),
  }
  const wanted = { zdr, dataCollection, maxPrice, serviceTier, ...limits }
  const isLimited = Object.keys(limits).length > 0
  return zdr || dataCollection === 'deny' || maxPrice || serviceTier || isLimited ? wanted : null
}

function routingToBody(routing: KeyRouting): Key['routing'] {
  const { zdr, dataCollection, maxPrice, serviceTier, maxChargeUsd, models: allowed } = routing
  return {
    provider: { zdr, data_collection: dataCollection, max_price: maxPrice },
    service_tier: serviceTier,
    max_charge_usd: maxChargeUsd === undefined ? null : Number(maxChargeUsd),
    models: allowed ?? null,
  }
}
