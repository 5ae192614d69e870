import { NO_TOKENS } from '@/lib/catalogue/domain/cost'
import type { TokenUsage } from '@/lib/catalogue/domain/model'
import { isObject } from '@/lib/http/domain/is-object'
import { type Decimal, isNegative, isZero, parseDecimal } from '@/lib/money/decimal'

/** What is known from our side about an exchange; a report that contradicts it is not believed. */
export interface UsageEvidence {
  hasOutput: boolean
  inputTokenCountMax: number
  outputTokenCountMax: number
}

/**
 * The token counts of an upstream's `usage`, or null when they cannot be true: missing, not whole
 * numbers, beyond what the model can take, or zero although something was delivered. Absent is not zero.
 */
export function believeTokenCounts(report: unknown, evidence: UsageEvidence): TokenUsage | null {
  if (!isObject(report)) return null
  const inputTokenCount = readCount(report.prompt_tokens, evidence.inputTokenCountMax)
  const outputTokenCount = readCount(report.completion_tokens, evidence.outputTokenCountMax)
  if (inputTokenCount === null || outputTokenCount === null) return null
  if (evidence.hasOutput && (inputTokenCount === 0 || outputTokenCount === 0)) return null
  const inputDetails = isObject(report.prompt_tokens_details) ? report.prompt_tokens_details : {}
  const outputDetails = isObject(report.completion_tokens_details) ? report.completion_tokens_details : {}
  const ofInput = (count: unknown) => readCount(count, inputTokenCount) ?? 0
  const ofOutput = (count: unknown) => readCount(count, outputTokenCount) ?? 0
  return {
    ...NO_TOKENS,
    inputTokenCount,
    cachedInputTokenCount: ofInput(inputDetails.cached_tokens),
    cacheWriteInputTokenCount: ofInput(inputDetails.cache_write_tokens),
    audioInputTokenCount: ofInput(inputDetails.audio_tokens),
    imageInputTokenCount: ofInput(inputDetails.image_tokens),
    outputTokenCount,
    reasoningTokenCount: ofOutput(outputDetails.reasoning_tokens),
    audioOutputTokenCount: ofOutput(outputDetails.audio_tokens),
    imageOutputTokenCount: ofOutput(outputDetails.image_tokens),
  }
}

/**
 * The upstream's own cost in USD, or null when it is not believable. Zero is believed of a free model
 * only: elsewhere it means that somebody else was billed, or nobody yet.
 */
export function believeCost(report: unknown, evidence: { isFree: boolean }): Decimal | null {
  const cost = isObject(report) ? report.cost : undefined
  if (typeof cost !== 'number' && typeof cost !== 'string') return null
  const usd = parseDecimal(String(cost))
  if (!usd || isNegative(usd)) return null
  return isZero(usd) && !evidence.isFree ? null : usd
}

function readCount(value: unknown, countMax: number): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= countMax
    ? value
    : null
}
