import type { Message } from '@/lib/local/domain/conversation'
import { type AnswerParameters, joinInstructions, type Steering } from '@/lib/local/domain/steering'
import { instructionsStore } from '@/lib/local/instructions'
import { readMaxContextTokens } from '@/lib/local/max-context'
import type { Nano } from '@/lib/money/nano'
import { type Context, chooseContext } from './context-window'
import { estimateMessage, mostOfMessage, type PriceTexts } from './estimate-message'

/** What a model has that an answer can be asked for with. */
export interface ModelControls {
  readonly temperature: boolean
  /** How long its answers can become at most; null where its host does not say. */
  readonly outputTokensMax: number | null
  /** How hard it can be asked to think, the greatest first; empty where it cannot be asked. */
  readonly efforts: readonly string[]
}

/** What it takes of a model to say what goes out to it, and for how much. */
export interface OutgoingModel {
  readonly windowTokens: number | null
  readonly prices: PriceTexts
  readonly controls: ModelControls
}

interface Memory {
  readonly maxContextTokens?: number
  readonly everyChat?: string | null
}

/** Asks for the rest of an answer; it stands in no conversation. */
export const CARRY_ON: Message = {
  role: 'user',
  content: 'Continue your last message exactly where it stopped. Repeat nothing, and begin with no remark.',
}

/** What goes to a model with the last of `messages`: the one place that decides it. */
export function outgoingContext(
  messages: readonly Message[],
  steering: Steering | null,
  windowTokens: number | null,
  { maxContextTokens = readMaxContextTokens(), everyChat = instructionsStore.getSnapshot() }: Memory = {},
): Context {
  const instructions = joinInstructions(everyChat, steering?.system_prompt)
  return chooseContext(messages, { maxContextTokens, windowTokens, instructions })
}

/** With what a model's answer is asked for: what it does not have is left out. */
export function outgoingParameters(
  { temperature, outputTokensMax, efforts }: ModelControls,
  steering: Steering | null,
): AnswerParameters {
  const asked = steering ?? {}
  const { max_tokens: length, reasoning_effort: effort } = asked
  return {
    ...(temperature && asked.temperature !== undefined && { temperature: asked.temperature }),
    ...(length !== undefined && { max_tokens: Math.min(length, outputTokensMax ?? length) }),
    ...(effort !== undefined && efforts.includes(effort) && { reasoning_effort: effort }),
  }
}

/** Some nine hundred words: few answers are longer, and those can be carried on. */
const ANSWER_TOKEN_COUNT = 1_200
/** The answers before tell how long the next one may become. */
const ANSWERS_LOOKED_AT = 3
const GROWTH = 2
/** What a model thinks before it answers is a part of what it writes; by how hard it is asked to. */
const THOUGHT_TOKEN_COUNTS: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 500,
  low: 1_500,
  high: 12_000,
}
const THOUGHT_TOKEN_COUNT = 4_000

/**
 * The most that an answer to the last of these messages is promised to cost: no more is held, and none is
 * charged. Null when no price is understood.
 */
export function mostOutgoing(
  { prices, controls }: OutgoingModel,
  context: Context,
  steering: Steering | null,
): Nano | null {
  return mostOfMessage(prices, context.messages, answerTokenCountMax(controls, context, steering))
}

/** How long that answer may become for it, what the model thinks before it included. */
export function answerTokenCountMax(
  controls: ModelControls,
  context: Context,
  steering: Steering | null,
): number {
  const { max_tokens: asked, reasoning_effort: effort } = outgoingParameters(controls, steering)
  const lengths = context.messages
    .filter(({ role }) => role === 'assistant')
    .slice(-ANSWERS_LOOKED_AT)
    .map(({ receipt }) => GROWTH * (receipt?.output_token_count ?? 0))
  const thought = THOUGHT_TOKEN_COUNTS[effort ?? ''] ?? THOUGHT_TOKEN_COUNT
  const least = ANSWER_TOKEN_COUNT + (controls.efforts.length > 0 ? thought : 0)
  return asked ?? Math.min(Math.max(least, ...lengths), controls.outputTokensMax ?? Number.MAX_SAFE_INTEGER)
}

/** What an answer comes to that the balance does not hold for in full. */
export interface ShortAnswer {
  /** Of words that are read, without thoughts. */
  readonly tokenCount: number
  /** What a useful answer takes beyond the balance; zero where there is one. */
  readonly missing: Nano
}

/** Shorter than this, an answer is not worth its question. */
const USEFUL_ANSWER_TOKEN_COUNT = 64
/** What a model thinks about an everyday question where nobody asks it for more or less. */
const USUAL_THOUGHT_TOKEN_COUNT = 1_500
const MILLION = 1_000_000

/**
 * How long an answer to the last of these messages can be for a balance; null where it holds for as much as
 * is promised in any case, or no price is understood.
 */
export function answerWithin(
  model: OutgoingModel,
  context: Context,
  steering: Steering | null,
  balance: Nano,
): ShortAnswer | null {
  const { prices, controls } = model
  const most = mostOutgoing(model, context, steering)
  const read = mostOfMessage(prices, context.messages, 0)
  const withMillion = mostOfMessage(prices, context.messages, MILLION)
  if (most === null || read === null || withMillion === null || balance >= most) return null
  const { reasoning_effort: effort } = outgoingParameters(controls, steering)
  const thought = THOUGHT_TOKEN_COUNTS[effort ?? ''] ?? USUAL_THOUGHT_TOKEN_COUNT
  const promised = answerTokenCountMax(controls, context, steering)
  const thoughtTokens = controls.efforts.length > 0 ? thought : 0
  const useful = mostOfMessage(
    prices,
    context.messages,
    Math.min(thoughtTokens + USEFUL_ANSWER_TOKEN_COUNT, promised),
  )
  if (useful === null || balance < useful) return { tokenCount: 0, missing: (useful ?? most) - balance }
  // The balance holds for what is read and not for what is promised: each token has a price.
  const written = Number(((balance - read) * BigInt(MILLION)) / (withMillion - read))
  return { tokenCount: Math.max(0, Math.min(written, promised) - thoughtTokens), missing: 0n }
}

/** A token is about so much of a word in the languages that most models know best. */
const WORDS_PER_TOKEN = 0.7

/** How many words that is, as one says it. */
export function wordsOfTokens(tokenCount: number): number {
  return Number((tokenCount * WORDS_PER_TOKEN).toPrecision(1))
}

/** About what it costs to send that and have an everyday answer; null when no price is understood. */
export function estimateOutgoing(
  { prices, controls }: OutgoingModel,
  context: Context,
  steering: Steering | null,
): Nano | null {
  return estimateMessage(prices, context.messages, outgoingParameters(controls, steering).max_tokens)
}
