import { z } from 'zod'
import { MODEL_ID_LENGTH_MAX } from '@/lib/catalogue/domain/model'
import { exchangeDetail, USAGE_CURSOR, type UsageRecord, usageDetail } from '@/lib/ledger/domain/usage'
import { formatUsd, nanoToUsdNumber } from '@/lib/money/nano'
import { QUERY_PAGE_SIZE_MAX } from '../domain/api-limits'
import { storableText } from './values'

const PAGE_SIZE_DEFAULT = 50

/** Unix seconds or ISO 8601. */
const instant = z.union([
  z
    .string()
    .regex(/^\d{1,11}$/)
    .transform(seconds => new Date(Number(seconds) * 1000)),
  z.iso.datetime({ offset: true }).transform(text => new Date(text)),
  z.iso.date().transform(text => new Date(text)),
])

export const usageQuery = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(QUERY_PAGE_SIZE_MAX)
    .default(PAGE_SIZE_DEFAULT)
    .describe('Rows per page.'),
  cursor: z
    .string()
    .regex(USAGE_CURSOR, 'expected the next_cursor of a page')
    .optional()
    .describe('`next_cursor` of the previous page.'),
  from: instant.optional().describe('Only calls from this time on: unix seconds or ISO 8601.'),
  to: instant.optional().describe('Before this time.'),
  model: storableText.min(1).max(MODEL_ID_LENGTH_MAX).optional().describe('Only this model.'),
  api_key_id: z.uuid().optional().describe('Only this key.'),
  format: z.enum(['json', 'csv']).default('json').describe('`csv` for a table.'),
})

/** A call in the history. */
export const querySchema = z
  .object({
    id: z.string().describe('The `x-exchange-id` of the call’s answer.'),
    timestamp: z.iso.datetime(),
    model: z.string(),
    input_count: z.int(),
    cached_input_count: z.int(),
    output_count: z.int(),
    reasoning_count: z.int(),
    price_in_usd: z.number().describe('What was charged.'),
    held_usd: z.number().describe('USD held while the call ran.'),
    query_type: exchangeDetail.shape.queryType,
    query_source: exchangeDetail.shape.querySource,
    api_key_id: z.string().nullable(),
    status: usageDetail.shape.status,
    error_code: z.string().nullable(),
    estimated: z.boolean().describe('True if the counts are our own, because the host reported none.'),
    cost_basis: usageDetail.shape.costBasis.describe('How the charge was determined.'),
    price_snapshot: z
      .record(z.string(), z.string())
      .describe('The prices at the time of the call, as decimal strings in USD per unit.'),
    duration_ms: z.number(),
    time_to_first_token_ms: z.number().nullable(),
  })
  .meta({ id: 'Query' })

export type Query = z.output<typeof querySchema>

export const queryPageSchema = z.object({
  data: z.array(querySchema),
  next_cursor: z.string().nullable(),
  summed_before: z.iso
    .datetime()
    .optional()
    .describe(
      'The request also covers older calls, which are no longer listed: only the totals of their months are kept.',
    ),
})

export type QueryPage = z.output<typeof queryPageSchema>

export function usageToBody(record: UsageRecord): Query {
  return {
    id: record.holdId,
    timestamp: record.createdAt.toISOString(),
    model: record.modelId,
    input_count: record.inputTokenCount,
    cached_input_count: record.cachedInputTokenCount,
    output_count: record.outputTokenCount,
    reasoning_count: record.reasoningTokenCount,
    price_in_usd: nanoToUsdNumber(record.chargedNano),
    held_usd: nanoToUsdNumber(record.heldNano),
    query_type: record.queryType,
    query_source: record.querySource,
    api_key_id: record.keyId,
    status: record.status,
    error_code: record.errorCode,
    estimated: record.estimated,
    cost_basis: record.costBasis,
    price_snapshot: record.priceSnapshot,
    duration_ms: record.durationMs,
    time_to_first_token_ms: record.timeToFirstTokenMs,
  }
}

const CSV_COLUMNS = [
  'timestamp',
  'model',
  'input_count',
  'output_count',
  'price_in_usd',
  'query_type',
  'query_source',
  'api_key_id',
  'status',
  'error_code',
] as const

/** CSV by RFC 4180. A cell that a spreadsheet would run as a formula gets a leading quote. */
export function usageToCsv(records: readonly UsageRecord[]): string {
  const rows = records.map(record => {
    const body = { ...usageToBody(record), price_in_usd: formatUsd(record.chargedNano) }
    return CSV_COLUMNS.map(column => csvCell(body[column])).join(',')
  })
  return `${[CSV_COLUMNS.join(','), ...rows].join('\r\n')}\r\n`
}

function csvCell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
