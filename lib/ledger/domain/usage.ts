import { z } from 'zod'
import { verb } from '@/lib/host-mode/domain/contract'
import { wireAmountFound, wireCount, wireRecord, wireText, wireTime } from '@/lib/host-mode/domain/values'

/** The kinds of paid calls; chat in any dialect is one. The host protocol and the database allow exactly these. */
export const QUERY_TYPES = ['chat', 'image', 'speech', 'transcription', 'embedding'] as const

/** What is known of an exchange when it starts; stored with its hold. */
export const exchangeDetail = z.object({
  queryType: z.enum(QUERY_TYPES),
  querySource: z.enum(['web', 'api']),
  modelId: wireText,
  /** Prices at the time of the hold, as decimal strings in USD per unit. */
  priceSnapshot: wireRecord,
})

/** What has a price of its own besides input, cached input, output and reasoning tokens. */
export const OTHER_COUNT_NAMES = [
  'cache_write_input',
  'long_cache_write_input',
  'audio_input',
  'image_input',
  'audio_output',
  'image_output',
  'image',
  'web_search',
] as const

/**
 * How an exchange ended, for the usage list: counts, never contents. A further field is optional, because older calls
 * lack it, and so does what a deployment of an older version settles here.
 */
export const usageDetail = z.object({
  status: z.enum(['completed', 'stopped', 'disconnected', 'failed', 'expired']),
  errorCode: wireText.nullable(),
  inputTokenCount: wireCount,
  cachedInputTokenCount: wireCount,
  outputTokenCount: wireCount,
  reasoningTokenCount: wireCount,
  /** Only counts that are not zero; absent if there are none, and on older calls. */
  otherCounts: z.partialRecord(z.enum(OTHER_COUNT_NAMES), wireCount).optional(),
  /** Set if the charge was not calculated with the snapshot's usual prices. */
  pricedAs: z.object({ isOtherModel: z.boolean(), serviceTier: wireText.nullable() }).optional(),
  /** True if the counts are ours because the upstream reported none. */
  estimated: z.boolean(),
  /** What the charge is based on: the cost in the upstream's answer, its record, its tokens x price, or our count. */
  costBasis: z.enum(['upstream_cost', 'upstream_tokens', 'upstream_record', 'local_count', 'none']),
  upstreamId: wireText.nullable(),
  durationMs: z.number().nonnegative(),
  timeToFirstTokenMs: z.number().nonnegative().nullable(),
  /** The id in the answer, if the upstream gave it one. */
  answerId: wireText.optional(),
})

const usageRecord = z.object({
  ...exchangeDetail.shape,
  ...usageDetail.shape,
  /** The hold's id; also the exchange's id in the API. */
  holdId: wireText,
  keyId: wireText.nullable(),
  heldNano: wireAmountFound,
  chargedNano: wireAmountFound,
  createdAt: wireTime,
})

const listUsageInput = z.object({
  accountId: wireText,
  limit: z.number(),
  /** Opaque, from the previous page; null for the newest calls. */
  cursor: wireText.nullable(),
  from: wireTime.nullable(),
  to: wireTime.nullable(),
  modelId: wireText.nullable(),
  keyId: wireText.nullable(),
})

/** Where the next page begins: the time in milliseconds and the id of a call. */
export const USAGE_CURSOR = /^\d{1,15}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const usagePage = z.object({
  records: z.array(usageRecord),
  nextCursor: wireText.nullable(),
  /** On a last page, if the query reaches back before this time: earlier calls exist only as monthly totals. */
  summedBefore: wireTime.optional(),
})

/** What was charged since the beginning of the day, the week (Monday) and the month, in UTC, and in total. */
const usageSums = z.object({
  totalNano: wireAmountFound,
  dayNano: wireAmountFound,
  weekNano: wireAmountFound,
  monthNano: wireAmountFound,
})

/** Of the account, or of one of its keys. */
export const accountOrKey = z.object({ accountId: wireText, keyId: wireText.nullable() })

export type ExchangeDetail = z.output<typeof exchangeDetail>
export type UsageDetail = z.output<typeof usageDetail>
export type UsageRecord = z.output<typeof usageRecord>
export type UsageSums = z.output<typeof usageSums>
export type AccountOrKey = z.output<typeof accountOrKey>
export type ListUsageInput = z.output<typeof listUsageInput>
export type UsagePage = z.output<typeof usagePage>

export const USAGE_VERBS = {
  listUsage: verb({ input: listUsageInput, output: usagePage }),
  /** Null for an exchange that is still running, unknown, or another account's. */
  getUsage: verb({
    input: z.object({ accountId: wireText, holdId: wireText }),
    output: usageRecord.nullable(),
  }),
  /** The latest call whose answer had this id, within the last month. */
  findUsage: verb({ input: accountOrKey.extend({ answerId: wireText }), output: usageRecord.nullable() }),
  sumUsage: verb({ input: accountOrKey, output: usageSums }),
}
