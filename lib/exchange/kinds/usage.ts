import type { TokenUsage } from '@/lib/catalogue/domain/model'
import { fieldsOf, isObject, readCount } from '@/lib/http/domain/is-object'
import type { Counted } from '../domain/decide-charge'
import { TOKEN_COUNT_MAX } from './contract'

/** The most that the request makes possible; a report is believed up to this. */
export interface Possible {
  hasOutput: boolean
  /** Of the text that was sent and delivered, without pictures and the like. */
  inputCharacterCount: number
  outputCharacterCount: number
  inputTokenCountMax: number
  /** Of the sound that was sent. A report that does not tell of it counts as this much. */
  audioInputTokenCountMax: number
  /** A cache for longer than usual was asked for. A report that does not tell its lifetime counts as one for that. */
  mayCacheLong: boolean
  outputTokenCountMax: number
  imageCount: number
  /** Results that searches may have found. A report of searches counts this many results for each. */
  webSearchCountMax: number
  resultsPerSearch: number
  /** Kinds of tokens that nothing in the request can cause, so that no bound includes their prices. */
  absentKinds: readonly TokenKind[]
}

/** For a request that nothing but text is read and written for. */
export const TEXT_ALONE = {
  audioInputTokenCountMax: 0,
  mayCacheLong: false,
  imageCount: 0,
  webSearchCountMax: 0,
  resultsPerSearch: 0,
  absentKinds: [],
} as const satisfies Partial<Possible>

/** Tokens with a price of their own, which count as any other input or output if they are not believed. */
export type TokenKind =
  | 'longCacheWriteInputTokenCount'
  | 'audioInputTokenCount'
  | 'imageInputTokenCount'
  | 'audioOutputTokenCount'
  | 'imageOutputTokenCount'

/** Few tokens are longer, though a short text may be one. A report that implies longer tokens is not believed. */
const CHARACTERS_PER_TOKEN_MAX = 16
const SHORT_TEXT_CHARACTER_COUNT = 64

/**
 * The counts of an upstream's `usage`, or null if they cannot be true: missing, not whole numbers, zero, or too few
 * for the text. Missing does not mean zero. They are capped at what was sent and asked for.
 */
export function readUsage(report: unknown, possible: Possible): TokenUsage | null {
  if (!isObject(report)) return null
  const counts = readTotals(report)
  if (counts === null) return null
  const { input, output } = counts
  const { inputCharacterCount, outputCharacterCount } = possible
  if (input === 0 || (possible.hasOutput && output === 0)) return null
  if (isTooFew(input, inputCharacterCount) || isTooFew(output, outputCharacterCount)) return null
  const inputTokenCount = Math.min(input, possible.inputTokenCountMax)
  const outputTokenCount = Math.min(output, possible.outputTokenCountMax)
  const inputDetails = inputDetailsOf(report)
  const outputDetails = outputDetailsOf(report)
  const counted = readCached(report)
  const cached = upTo(inputTokenCount, counted.read)
  const written = upTo(inputTokenCount - cached, counted.written)
  const lifetimes = fieldsOf(report.cache_creation ?? inputDetails.cache_creation_token_details)
  const notShort = Math.max(0, written - (readCount(lifetimes.ephemeral_5m_input_tokens) ?? 0))
  const longWritten = lifetimes.ephemeral_1h_input_tokens ?? (possible.mayCacheLong ? notShort : 0)
  const usage = {
    inputTokenCount,
    cachedInputTokenCount: cached,
    cacheWriteInputTokenCount: written,
    longCacheWriteInputTokenCount: upTo(written, longWritten),
    audioInputTokenCount: upTo(inputTokenCount, counts.sound ?? possible.audioInputTokenCountMax),
    imageInputTokenCount: upTo(inputTokenCount, inputDetails.image_tokens),
    outputTokenCount,
    reasoningTokenCount: upTo(outputTokenCount, outputDetails.reasoning_tokens),
    audioOutputTokenCount: upTo(outputTokenCount, outputDetails.audio_tokens),
    imageOutputTokenCount: upTo(outputTokenCount, outputDetails.image_tokens),
    imageCount: possible.imageCount,
    webSearchCount: Math.min(possible.webSearchCountMax, readSearches(report, possible)),
  }
  for (const kind of possible.absentKinds) usage[kind] = 0
  return usage
}

/**
 * All that was read and written. xAI and Google do not include reasoning in the output, some hosts do not include in
 * the input what came from a cache, and Mistral no sound. Their total shows it; without a total, a part that is larger
 * than its whole cannot be included in it. `sound`, a part of the input, is undefined if it is not told.
 */
function readTotals(
  report: Record<string, unknown>,
): { input: number; output: number; sound: unknown } | null {
  const input = readCount(report.prompt_tokens ?? report.input_tokens)
  const output = readCount(report.completion_tokens ?? report.output_tokens)
  if (input === null || output === null) return null
  const { read, written } = readCached(report)
  const reasoning = readCount(outputDetailsOf(report).reasoning_tokens) ?? 0
  const total = readCount(report.total_tokens)
  const sound = inputDetailsOf(report).audio_tokens
  if (total === null) {
    return {
      sound,
      input: input + (read + written > input ? read + written : 0),
      output: output + (reasoning > output ? reasoning : 0),
    }
  }
  const beside = Math.max(0, total - input - output)
  // Only Mistral tells the seconds, and no reasoning beside them.
  if (readCount(report.prompt_audio_seconds)) return { input: input + beside, output, sound: sound ?? beside }
  // If both have the same length, it is the reasoning that is not included: more hosts leave that out, and it costs more.
  const besideInput = [0, read + written, read, readCount(sound) ?? 0].find(
    count => beside === count || beside === count + reasoning,
  )
  return { input: input + (besideInput ?? 0), output: output + beside - (besideInput ?? 0), sound }
}

/** What came from a cache has other names at Moonshot, DeepSeek, and hosts of Anthropic's models. */
function readCached(report: Record<string, unknown>): { read: number; written: number } {
  const details = inputDetailsOf(report)
  const counts = [details.cached_tokens, ...CACHED_NAMES.map(name => report[name])].map(readCount)
  return {
    read: counts.find(count => count !== null) ?? 0,
    written: readCount(details.cache_write_tokens ?? report.cache_creation_input_tokens) ?? 0,
  }
}

const CACHED_NAMES = ['cached_tokens', 'prompt_cache_hit_tokens', 'cache_read_input_tokens'] as const

function inputDetailsOf(report: Record<string, unknown>): Record<string, unknown> {
  // The last name is that of OpenAI's transcripts.
  const { prompt_tokens_details, input_tokens_details, input_token_details } = report
  return fieldsOf(prompt_tokens_details ?? input_tokens_details ?? input_token_details)
}

function outputDetailsOf(report: Record<string, unknown>): Record<string, unknown> {
  return fieldsOf(report.completion_tokens_details ?? report.output_tokens_details)
}

function isTooFew(tokenCount: number, characterCount: number): boolean {
  return tokenCount * CHARACTERS_PER_TOKEN_MAX + SHORT_TEXT_CHARACTER_COUNT < characterCount
}

/**
 * The upstream's counts with what they cost; null if they cannot be true. The customer owes no more than what is
 * possible, while the upstream bills all that it reports.
 */
export function readUpstreamCount(
  report: unknown,
  possible: Possible,
  price: (usage: TokenUsage) => Counted,
): Counted | null {
  const usage = readUsage(report, possible)
  const reported = readReportedUsage(report, possible)
  if (!usage || !reported) return null
  const { costNano, billedNano = costNano } = price(reported)
  return { ...price(usage), billedNano }
}

/** The same counts without the cap: what the upstream will bill. */
function readReportedUsage(report: unknown, possible: Possible): TokenUsage | null {
  // Counts beyond what any model reads or writes at a time are noise.
  const told = {
    inputTokenCountMax: TOKEN_COUNT_MAX,
    outputTokenCountMax: TOKEN_COUNT_MAX,
    absentKinds: [],
  }
  const usage = readUsage(report, { ...possible, ...told })
  return usage && { ...usage, webSearchCount: Math.min(TOKEN_COUNT_MAX, readSearches(report, possible)) }
}

/** Whether a reported count exceeds what was sent and asked for. */
export function isBeyondPossible(report: unknown, possible: Possible): boolean {
  const { input, output } = (isObject(report) && readTotals(report)) || { input: 0, output: 0 }
  if (input > possible.inputTokenCountMax || output > possible.outputTokenCountMax) return true
  const reported = readReportedUsage(report, possible)
  if (possible.absentKinds.some(kind => reported !== null && reported[kind] > 0)) return true
  return readSearches(report, possible) > possible.webSearchCountMax
}

/** An upstream that does not report its searches may have made as many as it was allowed to. */
function readSearches(report: unknown, { webSearchCountMax, resultsPerSearch }: Possible): number {
  const { server_tool_use_details: details, server_tool_use: use } = fieldsOf(report)
  const searches = readCount(fieldsOf(details ?? use).web_search_requests)
  return searches === null ? webSearchCountMax : searches * resultsPerSearch
}

/** The part of an upstream's report that a client may see: counts, and nothing of what the operator pays. */
export function shownDetails(report: unknown): Record<string, unknown> {
  if (!isObject(report)) return {}
  const names = ['prompt_tokens_details', 'completion_tokens_details', 'server_tool_use'] as const
  return Object.fromEntries(
    names.flatMap(name => {
      const counts = Object.entries(fieldsOf(report[name])).filter(([, value]) => readCount(value) !== null)
      return counts.length > 0 ? [[name, Object.fromEntries(counts)]] : []
    }),
  )
}

/** A report without what the operator pays. */
export function withoutCost(report: unknown): Record<string, unknown> {
  const { cost: _cost, cost_details: _details, is_byok: _isOwnKey, ...rest } = fieldsOf(report)
  const { cost_in_usd_ticks: _ticks, ...counts } = rest
  return counts
}

/** A count, capped; 0 if it is none. */
function upTo(countMax: number, value: unknown): number {
  return Math.min(countMax, readCount(value) ?? 0)
}
