import type { Message } from '@/lib/local/domain/conversation'
import type { Steering } from '@/lib/local/domain/steering'
import { compare, decimalFromInteger, multiply, parseDecimal } from '@/lib/money/decimal'
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
    again: resent.length === 0 ? null : priceOfTokens(prices.prompt, resent),
    whileCached: resent.length === 0 ? null : cachedPrice(prices, resent),
  }
}

function cachedPrice(
  { prompt, input_cache_read: cacheRead }: OutgoingModel['prices'],
  messages: readonly Message[],
): Nano | null {
  const [whole, cached] = [parseDecimal(prompt), parseDecimal(cacheRead ?? '')]
  if (!whole || !cached || compare(cached, whole) >= 0) return null
  return priceOfTokens(cacheRead ?? '', messages)
}

function priceOfTokens(price: string, messages: readonly Message[]): Nano | null {
  const decimal = parseDecimal(price)
  return decimal && ceilToNano(multiply(decimal, decimalFromInteger(countTokensOf(messages))))
}
