import { estimateTokens as countTextTokens } from '@/lib/catalogue/domain/estimate-tokens'
import { scriptTokenCount } from '@/lib/catalogue/domain/text-bytes'
import { type Message, messageText } from '@/lib/local/domain/conversation'
import { add, decimalFromInteger, multiply, parseDecimal } from '@/lib/money/decimal'
import { ceilToNano, type Nano } from '@/lib/money/nano'
import { countMessageTokens } from './message-tokens'

/** Decimal dollars per unit, as `GET /v1/models` lists them. */
export interface PriceTexts {
  readonly prompt: string
  readonly completion: string
  readonly request?: string
  /** For what the host reads out of its own memory; absent where it is not said. */
  readonly input_cache_read?: string
}

/** Length of an everyday answer, about 300 words. Said beside the estimate, so nobody takes it for a price. */
const EVERYDAY_ANSWER_TOKEN_COUNT = 400
/** Length of an everyday question with a little history, for the prices in the model picker. */
const EVERYDAY_QUESTION_TOKEN_COUNT = 300

/**
 * What sending `messages` and an everyday answer, or one of `outputTokenCountMax`, would cost; null when the
 * model has no usable price.
 */
export function estimateMessage(
  prices: PriceTexts,
  messages: readonly Message[],
  outputTokenCountMax = EVERYDAY_ANSWER_TOKEN_COUNT,
): Nano | null {
  const inputTokenCount = messages.reduce((sum, message) => sum + countMessageTokens(message), 0)
  return estimateTokens(prices, inputTokenCount, Math.min(outputTokenCountMax, EVERYDAY_ANSWER_TOKEN_COUNT))
}

/** What an answer to `messages` costs of which so much has been written. */
export function estimateWritten(
  prices: PriceTexts,
  messages: readonly Message[],
  written: string,
): Nano | null {
  const inputTokenCount = messages.reduce((sum, message) => sum + countMessageTokens(message), 0)
  return estimateTokens(prices, inputTokenCount, countTextTokens(written))
}

/**
 * How far what a model reads can cost beyond our count, for ordinary words: other tokenizers make more of them,
 * and some hosts bill what they put into their cache above its price. The server reckons with less.
 */
const PROMPT_MARGIN = 2
const TOKENS_PER_REQUEST = 128

/**
 * The most that is promised for sending `messages` and an answer of that length; null when the model has no
 * usable price, and for whole files: how long one is, its reader alone can tell.
 */
export function mostOfMessage(
  prices: PriceTexts,
  messages: readonly Message[],
  answerTokenCountMax: number,
): Nano | null {
  if (messages.some(hasWholeFile)) return null
  const counts = messages.map(message => {
    const ofScripts = Math.ceil(scriptTokenCount(messageText(message)))
    return countMessageTokens(message) * PROMPT_MARGIN + ofScripts
  })
  const inputTokenCount = counts.reduce((sum, count) => sum + count, TOKENS_PER_REQUEST)
  return estimateTokens(prices, inputTokenCount, answerTokenCountMax)
}

function hasWholeFile({ content }: Message): boolean {
  if (typeof content === 'string') return false
  return content.some(
    part => part.type === 'document_url' && (part.document_url.whole || !isKeptHere(part.document_url.url)),
  )
}

function isKeptHere(url: string): boolean {
  return !/^(data|https?):/i.test(url)
}

/** What an everyday message costs with this model. */
export function estimateEverydayMessage(prices: PriceTexts): Nano | null {
  return estimateTokens(prices, EVERYDAY_QUESTION_TOKEN_COUNT, EVERYDAY_ANSWER_TOKEN_COUNT)
}

function estimateTokens(prices: PriceTexts, inputTokenCount: number, outputTokenCount: number): Nano | null {
  const prompt = parseDecimal(prices.prompt)
  const completion = parseDecimal(prices.completion)
  const request = parseDecimal(prices.request ?? '0')
  if (!prompt || !completion || !request) return null
  const tokens = add(
    multiply(prompt, decimalFromInteger(inputTokenCount)),
    multiply(completion, decimalFromInteger(outputTokenCount)),
  )
  return ceilToNano(add(tokens, request))
}
