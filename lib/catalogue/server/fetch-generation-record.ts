import 'server-only'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { type Decimal, parseDecimal } from '@/lib/money/decimal'
import { billedCost } from '../domain/billed-cost'
import { parseExactJson } from '../domain/parse-exact-json'
import { fetchBoundedText } from './fetch-bounded-text'

/** The record appears a moment after the answer; one that is not there after these pauses will not come in time. */
const RETRY_DELAYS_MS = [250, 750, 1_500] as const
const ATTEMPT_TIMEOUT_MS = 5_000
const RECORD_BYTES_MAX = 64 * 1024

/** Longer than any id of a host. */
export const GENERATION_ID_LENGTH_MAX = 200
/** The id comes from the upstream's own stream and is put into an address. */
export const GENERATION_ID_PATTERN = new RegExp(`^[\\w.:-]{1,${GENERATION_ID_LENGTH_MAX}}$`)

const generationRecord = z.object({
  data: z.object({
    total_cost: z.string(),
    is_byok: z.boolean().nullish().catch(null),
    upstream_inference_cost: z.string().nullish().catch(null),
  }),
})

/**
 * What the upstream recorded for one answer (OpenRouter's `GET /generation?id=`). Null if it keeps no such record, or
 * one without a usable cost; the caller then uses its own count.
 */
export async function fetchGenerationRecord(input: {
  upstream: UpstreamSettings
  generationId: string
  /** Ends the attempts early. */
  signal?: AbortSignal
  /** The pauses before each attempt after the first. */
  retryDelaysMs?: readonly number[]
}): Promise<{ costUsd: Decimal } | null> {
  if (!GENERATION_ID_PATTERN.test(input.generationId)) return null
  for (const delayMs of [0, ...(input.retryDelaysMs ?? RETRY_DELAYS_MS)]) {
    if (delayMs > 0) await wait(delayMs, undefined, { signal: input.signal }).catch(() => {})
    if (input.signal?.aborted) return null
    const attempt = await fetchOnce(input)
    if (attempt.outcome !== 'retry') return attempt.record
  }
  return null
}

type Attempt = { outcome: 'answered'; record: { costUsd: Decimal } | null } | { outcome: 'retry' }

async function fetchOnce(input: Parameters<typeof fetchGenerationRecord>[0]): Promise<Attempt> {
  try {
    const { status, text } = await fetchBoundedText({
      url: `${input.upstream.baseUrl}/generation?id=${encodeURIComponent(input.generationId)}`,
      apiKey: input.upstream.apiKey,
      timeoutMs: ATTEMPT_TIMEOUT_MS,
      bytesMax: RECORD_BYTES_MAX,
      signal: input.signal,
    })
    const told = status === 200 ? parseExactJson(text) : undefined
    return told === undefined ? { outcome: 'retry' } : { outcome: 'answered', record: readRecord(told) }
  } catch {
    return { outcome: 'retry' }
  }
}

function readRecord(told: unknown): { costUsd: Decimal } | null {
  const parsed = generationRecord.safeParse(told)
  if (!parsed.success) return null
  const { total_cost, is_byok, upstream_inference_cost } = parsed.data.data
  const costUsd = billedCost({
    feeUsd: parseDecimal(total_cost),
    isOwnKey: is_byok === true,
    hostsUsd: parseDecimal(upstream_inference_cost ?? ''),
  })
  return costUsd && { costUsd }
}
