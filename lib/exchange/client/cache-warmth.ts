import type { Message } from '@/lib/local/domain/conversation'
import type { Nano } from '@/lib/money/nano'
import type { Context } from './context-window'
import { countTokensOf } from './message-tokens'
import { estimateOutgoing, type OutgoingModel, outgoingContext, type Steered } from './outgoing'
import { priceOfInput } from './price-lines'

/** What a message probably costs while its host still has the earlier ones in its cache. Never a promise. */
export interface WarmCache {
  /** Epoch milliseconds. */
  readonly untilMs: number
  readonly price: Nano
  /** The same without a cache. */
  readonly whole: Nano
}

const MINUTE_MS = 60_000
/** How long makers say that they cache a prompt, at least; nothing is known of others. */
const CACHE_LIVES: readonly (readonly [RegExp, number])[] = [
  [/claude/i, 5 * MINUTE_MS],
  [/(^|\/)(gpt-|chatgpt-|o[1-9])/i, 5 * MINUTE_MS],
  [/deepseek/i, 60 * MINUTE_MS],
  [/gemini/i, 3 * MINUTE_MS],
]
/** Shorter prompts are never cached. */
const CACHED_TOKENS_MIN = 1_024

/**
 * Null unless the model has a listed price for cached input, the host of the last answer reported what it read from its
 * cache or wrote to it, and the next prompt begins with all that it read, in the same order.
 */
export function warmCache(
  model: OutgoingModel,
  messages: readonly Message[],
  context: Context,
  steering: Steered | null,
): WarmCache | null {
  const index = messages.findLastIndex(({ role }) => role === 'assistant')
  const answer = messages[index]
  const untilMs = answer && warmUntilMs(model, answer)
  const read = outgoingContext(messages.slice(0, index), steering, model.windowTokens).messages
  const isSame = read.every((message, at) => message === context.messages[at])
  const whole = estimateOutgoing(model, context, steering)
  if (!untilMs || !isSame || whole === null) return null
  const usedCount = answer.receipt?.input_token_count ?? 0
  const again = priceOfInput(model.prices, Math.min(countTokensOf(read), usedCount))
  const saved = again && again.cached !== null ? again.whole - again.cached : 0n
  return saved > 0n && saved < whole ? { untilMs, price: whole - saved, whole } : null
}

function warmUntilMs({ id = '' }: OutgoingModel, answer: Message): number | null {
  const life = CACHE_LIVES.find(([pattern]) => pattern.test(id))?.[1]
  const { receipt, model, created_at: askedAt = '', timing } = answer
  if (life === undefined || model !== id || !receipt || receipt.input_token_count < CACHED_TOKENS_MIN)
    return null
  const { cached_token_count: cached, cache_write_token_count: written = 0 } = receipt
  // Anthropic caches only what it is asked to; others cache any long prompt, and report how much they had.
  const isKept = /claude/i.test(id) ? (cached ?? 0) + written > 0 : cached !== undefined
  const askedAtMs = Date.parse(askedAt)
  return isKept && !Number.isNaN(askedAtMs) ? askedAtMs + (timing?.first_token_ms ?? 0) + life : null
}
