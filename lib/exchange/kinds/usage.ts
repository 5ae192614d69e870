import type { TokenUsage } from '@/lib/catalogue/domain/model'
import { isObject } from '@/lib/http/domain/is-object'
import { add, type Decimal, isNegative, parseDecimal } from '@/lib/money/decimal'

/** What our own side makes possible; a report beyond it is believed up to here. */
export interface Possible {
  hasOutput: boolean
  inputTokenCountMax: number
  outputTokenCountMax: number
  imageCount: number
  /** Results that searches may have found; told as searches alone, each counts as this many. */
  webSearchCountMax: number
  resultsPerSearch: number
}

/**
 * The counts of an upstream's `usage`, or null when they cannot be true: missing, no whole numbers, or zero
 * although something was delivered. Absent is not zero. Nobody pays for more than was sent or asked for.
 */
export function readUsage(report: unknown, possible: Possible): TokenUsage | null {
  if (!isObject(report)) return null
  const input = readCount(report.prompt_tokens ?? report.input_tokens)
  const output = readCount(report.completion_tokens ?? report.output_tokens)
  if (input === null || output === null) return null
  if (possible.hasOutput && (input === 0 || output === 0)) return null
  const inputTokenCount = Math.min(input, possible.inputTokenCountMax)
  const outputTokenCount = Math.min(output, possible.outputTokenCountMax)
  const inputDetails = detailsOf(report.prompt_tokens_details ?? report.input_tokens_details)
  const outputDetails = detailsOf(report.completion_tokens_details ?? report.output_tokens_details)
  const cached = upTo(inputTokenCount, inputDetails.cached_tokens)
  const written = upTo(
    inputTokenCount - cached,
    inputDetails.cache_write_tokens ?? report.cache_creation_input_tokens,
  )
  const longWritten = detailsOf(report.cache_creation).ephemeral_1h_input_tokens
  return {
    inputTokenCount,
    cachedInputTokenCount: cached,
    cacheWriteInputTokenCount: written,
    longCacheWriteInputTokenCount: upTo(written, longWritten),
    audioInputTokenCount: upTo(inputTokenCount, inputDetails.audio_tokens),
    imageInputTokenCount: upTo(inputTokenCount, inputDetails.image_tokens),
    outputTokenCount,
    reasoningTokenCount: upTo(outputTokenCount, outputDetails.reasoning_tokens),
    audioOutputTokenCount: upTo(outputTokenCount, outputDetails.audio_tokens),
    imageOutputTokenCount: upTo(outputTokenCount, outputDetails.image_tokens),
    imageCount: possible.imageCount,
    webSearchCount: readSearches(report, possible),
  }
}

/** A count was told that what was sent and asked for does not make possible. */
export function isBeyondPossible(report: unknown, possible: Possible): boolean {
  if (!isObject(report)) return false
  const input = readCount(report.prompt_tokens ?? report.input_tokens) ?? 0
  const output = readCount(report.completion_tokens ?? report.output_tokens) ?? 0
  return input > possible.inputTokenCountMax || output > possible.outputTokenCountMax
}

/** Where an upstream does not say how often it searched, it may have as often as it was allowed to. */
function readSearches(report: Record<string, unknown>, possible: Possible): number {
  const { webSearchCountMax, resultsPerSearch } = possible
  if (webSearchCountMax === 0) return 0
  const told = detailsOf(report.server_tool_use_details ?? report.server_tool_use).web_search_requests
  const searches = readCount(told)
  return searches === null ? webSearchCountMax : Math.min(webSearchCountMax, searches * resultsPerSearch)
}

/**
 * The upstream's own cost in USD, or null when it names none. With the operator's own key at the model's
 * host, the host's bill comes on top of the upstream's fee.
 */
export function readCost(report: unknown): Decimal | null {
  if (!isObject(report)) return null
  const fee = readUsd(report.cost)
  const hosts = readUsd(detailsOf(report.cost_details).upstream_inference_cost)
  if (report.is_byok === true && hosts && !isNegative(hosts)) return add(fee ?? ZERO_USD, hosts)
  return fee
}

const ZERO_USD: Decimal = { coefficient: 0n, scale: 0 }

/** What a client may see of an upstream's report: counts, and nothing of what the operator pays. */
export function shownDetails(report: unknown): Record<string, unknown> {
  if (!isObject(report)) return {}
  const names = ['prompt_tokens_details', 'completion_tokens_details', 'server_tool_use'] as const
  return Object.fromEntries(
    names.flatMap(name => {
      const counts = Object.entries(detailsOf(report[name])).filter(([, value]) => readCount(value) !== null)
      return counts.length > 0 ? [[name, Object.fromEntries(counts)]] : []
    }),
  )
}

function readUsd(value: unknown): Decimal | null {
  return typeof value === 'number' || typeof value === 'string' ? parseDecimal(String(value)) : null
}

function detailsOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}

/** At most so many; none when that many is no count. */
function upTo(countMax: number, value: unknown): number {
  return Math.min(countMax, readCount(value) ?? 0)
}

function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}
