import { z } from 'zod'
import { type ExchangeDetail, QUERY_TYPES, type UsageDetail, type UsageRecord } from './ledger'
import { wireAmountFound, wireCount, wireRecord, wireText, wireTime } from './wire-values'

const exchangeShape = {
  queryType: z.enum(QUERY_TYPES),
  querySource: z.enum(['web', 'api']),
  modelId: wireText,
  priceSnapshot: wireRecord,
}

const usageShape = {
  status: z.enum(['completed', 'stopped', 'disconnected', 'failed', 'expired']),
  errorCode: wireText.nullable(),
  inputTokenCount: wireCount,
  cachedInputTokenCount: wireCount,
  outputTokenCount: wireCount,
  reasoningTokenCount: wireCount,
  estimated: z.boolean(),
  costBasis: z.enum(['upstream_cost', 'upstream_tokens', 'upstream_record', 'local_count', 'none']),
  upstreamId: wireText.nullable(),
  durationMs: z.number().nonnegative(),
  timeToFirstTokenMs: z.number().nonnegative().nullable(),
}

export const wireExchange = z.object(exchangeShape) satisfies z.ZodType<ExchangeDetail>

export const wireUsage = z.object(usageShape) satisfies z.ZodType<UsageDetail>

export const wireUsageRecord = z.object({
  ...exchangeShape,
  ...usageShape,
  holdId: wireText,
  keyId: wireText.nullable(),
  heldNano: wireAmountFound,
  chargedNano: wireAmountFound,
  createdAt: wireTime,
}) satisfies z.ZodType<UsageRecord>
