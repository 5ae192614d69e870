import type { Steering } from '@/lib/local/domain/steering'
import { compare, type Decimal, decimalFromInteger, multiply, parseDecimal } from '@/lib/money/decimal'
import { ceilToNano, type Nano } from '@/lib/money/nano'
import type { Context } from './context-window'
import { mostOfMessage } from './estimate-message'
import { countTokensOf } from './message-tokens'
import { answerTokenCountMax, type OutgoingModel } from './outgoing'

/** The parts of a promised price, in the order of the prompt. */
export interface PriceLines {
  /** Including the price per request. */
  readonly message: Nano
  readonly earlier: Nano
  /** The summary that replaces earlier messages. */
  readonly summary: Nano
  readonly instructions: Nano
  readonly answer: Nano
  /** The sum: the promise. */
  readonly most: Nano
  readonly answerTokenCount: number
  /** About what earlier messages, or their summary, cost again with each turn; null if there are none. */
  readonly again: Nano | null
  /** The same while the host has them in its cache; null if that is not cheaper, or not known. */
  readonly whileCached: Nano | null
}

/** The parts of the promise for an answer to the last of these messages; null if the price is not understood. */
export function priceLines(
  model: OutgoingModel,
  context: Context,
  steering: Steering | null,
): PriceLines | null {
  const { prices } = model
  const question = context.messages.slice(-1)
  const before = context.messages.slice(0, -1)
  const resent = before.filter(({ role }) => role !== 'system')
  const earlier = resent.slice(resent.length - context.earlierCount)
  const read = resent.length === 0 ? null : priceOfInput(prices, countTokensOf(resent))
  const answerTokenCount = answerTokenCountMax(model.controls, context, steering)
  const ofMessage = mostOfMessage(model, question, 0)
  const withEarlier = mostOfMessage(model, [...earlier, ...question], 0)
  const withSummary = mostOfMessage(model, [...resent, ...question], 0)
  const withInstructions = mostOfMessage(model, context.messages, 0)
  const most = mostOfMessage(model, context.messages, answerTokenCount)
  if (ofMessage === null || withEarlier === null || withSummary === null) return null
  if (withInstructions === null || most === null) return null
  return {
    message: ofMessage,
    earlier: withEarlier - ofMessage,
    summary: withSummary - withEarlier,
    instructions: withInstructions - withSummary,
    answer: most - withInstructions,
    most,
    answerTokenCount,
    again: read?.whole ?? null,
    whileCached: read?.cached ?? null,
  }
}

/** What so many tokens cost that a model reads, and what from its host's cache; null if that is not cheaper, or not known. */
export function priceOfInput(
  { prompt, input_cache_read: cacheRead = '' }: OutgoingModel['prices'],
  tokenCount: number,
): { whole: Nano; cached: Nano | null } | null {
  const [whole, cached] = [parseDecimal(prompt), parseDecimal(cacheRead)]
  const priceAt = (price: Decimal) => ceilToNano(multiply(price, decimalFromInteger(tokenCount)))
  if (!whole) return null
  return { whole: priceAt(whole), cached: cached && compare(cached, whole) < 0 ? priceAt(cached) : null }
}
