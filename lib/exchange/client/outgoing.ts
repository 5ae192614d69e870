import {
  EVERYDAY_ANSWER_TOKEN_COUNT,
  EVERYDAY_QUESTION_TOKEN_COUNT,
  THOUGHT_TOKEN_COUNT,
  WORDS_PER_TOKEN,
} from '@/lib/catalogue/domain/everyday'
import { ESTIMATE_FACTOR } from '@/lib/catalogue/domain/prompt-tokens'
import { oncePer } from '@/lib/http/domain/once-per'
import { type Conversation, isUnfinished, type Message, messageText } from '@/lib/local/domain/conversation'
import { type AnswerParameters, joinInstructions, type Steering } from '@/lib/local/domain/steering'
import { instructionsStore } from '@/lib/local/instructions'
import { maxContextStore } from '@/lib/local/max-context'
import type { Nano } from '@/lib/money/nano'
import { type Context, chooseContext } from './context-window'
import {
  estimateMessage,
  estimatePicture,
  mostOfMessage,
  type PricedModel,
  priceOfAmounts,
} from './estimate-message'

/** The parameters that a model supports. */
export interface ModelControls {
  readonly temperature: boolean
  /** The longest answer, in tokens; null if its host does not say. */
  readonly outputTokensMax: number | null
  /** Reasoning efforts, the highest first; empty if it has none. */
  readonly efforts: readonly string[]
}

/** What has to be known of a model to make a request and its price. */
export interface OutgoingModel extends PricedModel {
  readonly controls: ModelControls
}

interface Memory {
  readonly maxContextTokens?: number
  readonly everyChat?: string | null
}

/** Asks for the rest of an answer; not part of the conversation. */
export const CARRY_ON: Message = {
  role: 'user',
  content: 'Continue your last message exactly where it stopped. Repeat nothing, and begin with no remark.',
}

/** The choices for a conversation that decide what is sent. */
export type Steered = Steering & Pick<Conversation, 'earlier_messages_max' | 'branches'>

const SUMMARY_TITLE = 'Summary of what we said before, in place of those messages:\n\n'

/** What is sent to a model with the last of `messages`. This is the only place that decides it. */
export function outgoingContext(
  messages: readonly Message[],
  steering: Steered | null,
  windowTokens: number | null,
  {
    maxContextTokens = maxContextStore.getSnapshot(),
    everyChat = instructionsStore.getSnapshot(),
  }: Memory = {},
): Context {
  const instructions = joinInstructions(everyChat, steering?.system_prompt)
  const earlierMessagesMax = steering?.earlier_messages_max
  const summary = summaryOf(messages, steering?.branches)
  return chooseContext(messages, {
    maxContextTokens,
    windowTokens,
    instructions,
    earlierMessagesMax,
    summary,
  })
}

/** A summary that was cut short, or failed, cannot replace anything. */
export function isUsableSummary(message: Message): boolean {
  return message.summarises === true && !isUnfinished(message) && message.content !== ''
}

/** The same object for the same text, so that its tokens are counted once. */
const sentSummary = oncePer(
  (summary: Message): Message => ({ role: 'user', content: `${SUMMARY_TITLE}${messageText(summary)}` }),
)

/** The last summary on the path to a question. An edit before it makes another path, without it. */
function summaryOf(messages: readonly Message[], branches: readonly Message[] = []) {
  const usable = new Map(branches.filter(isUsableSummary).map(branch => [branch.parent, branch]))
  const index = messages.slice(0, -1).findLastIndex(({ id }) => id !== undefined && usable.has(id))
  const summary = usable.get(messages[index]?.id)
  return summary ? { message: sentSummary(summary), fromIndex: index + 1 } : null
}

/** The parameters of a request, without those that the model does not support. */
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

/** Earlier answers suggest how long the next one will be. */
const ANSWERS_LOOKED_AT = 3
/** Usual reasoning tokens, which are part of the output, by effort. */
const THOUGHT_TOKEN_COUNTS: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 200,
  low: 600,
  high: 4_800,
}
/** Few answers are longer than this many times the likely length: some seven hundred words at least. */
const LENGTH_MARGIN = 2.5

/**
 * The promised maximum for an answer to the last of these messages: no more is held or charged. Null if the price is
 * not understood.
 */
export function mostOutgoing(model: OutgoingModel, context: Context, steering: Steering | null): Nano | null {
  return mostOfMessage(model, context.messages, answerTokenCountMax(model.controls, context, steering))
}

/** How long that answer may become for it, including reasoning. */
export function answerTokenCountMax(
  controls: ModelControls,
  context: Context,
  steering: Steering | null,
): number {
  const { max_tokens: asked } = outgoingParameters(controls, steering)
  const most = Math.ceil(LENGTH_MARGIN * usualAnswerTokenCount(controls, context, steering))
  return asked ?? Math.min(most, controls.outputTokensMax ?? most)
}

/** How long it will be if it is like those before it, or an everyday one; also including reasoning. */
export function likelyAnswerTokenCount(
  controls: ModelControls,
  context: Context,
  steering: Steering | null,
): number {
  const most = answerTokenCountMax(controls, context, steering)
  return Math.min(usualAnswerTokenCount(controls, context, steering), most)
}

function usualAnswerTokenCount(controls: ModelControls, { messages }: Context, steering: Steering | null) {
  const counted = messages.flatMap(({ role, receipt }) =>
    role === 'assistant' && receipt ? [receipt.output_token_count] : [],
  )
  const last = counted.slice(-ANSWERS_LOOKED_AT)
  const average = last.reduce((sum, count) => sum + count, 0) / Math.max(1, last.length)
  return Math.max(everydayAnswerTokenCount(controls, steering), Math.round(average))
}

/** What an everyday message costs with this model, including reasoning, or a picture; null without a usable price. */
export function estimateEverydayMessage(model: OutgoingModel): Nano | null {
  if (model.draws) return estimatePicture(model)
  return priceOfAmounts(model.prices, {
    inputTokenCount: EVERYDAY_QUESTION_TOKEN_COUNT,
    imageCount: 0,
    answerTokenCount: everydayAnswerTokenCount(model.controls, null),
  })
}

function everydayAnswerTokenCount(controls: ModelControls, steering: Steering | null): number {
  return EVERYDAY_ANSWER_TOKEN_COUNT + thoughtTokenCount(controls, steering)
}

function thoughtTokenCount(controls: ModelControls, steering: Steering | null): number {
  if (controls.efforts.length === 0) return 0
  const { reasoning_effort: effort } = outgoingParameters(controls, steering)
  return THOUGHT_TOKEN_COUNTS[effort ?? ''] ?? THOUGHT_TOKEN_COUNT
}

/** An answer that the balance cannot pay in full. */
export interface ShortAnswer {
  /** Of visible text, without reasoning. */
  readonly tokenCount: number
  /** What a useful answer takes beyond the balance; zero if the balance pays for one. */
  readonly missing: Nano
}

/** Shorter than this, an answer is not worth its question. */
export const USEFUL_ANSWER_TOKEN_COUNT = 64
const MILLION = 1_000_000

/**
 * How long an answer to the last of these messages can be for a balance; null if it pays for the promised length
 * anyway, or the price is not understood. What is said to be missing is enough for ordinary text with any model; none
 * is said to be missing while the server, which counts more exactly, would probably send the message.
 */
export function answerWithin(
  model: OutgoingModel,
  context: Context,
  steering: Steering | null,
  balance: Nano,
): ShortAnswer | null {
  if (model.draws) {
    const missing = (estimatePicture(model) ?? 0n) - balance
    return missing > 0n ? { tokenCount: 0, missing } : null
  }
  const { controls } = model
  const most = mostOutgoing(model, context, steering)
  // With the picture that an answer of any length may hold.
  const begun = mostOfMessage(model, context.messages, 1)
  const withMillion = mostOfMessage(model, context.messages, MILLION + 1)
  if (most === null || begun === null || withMillion === null || balance >= most) return null
  const promised = answerTokenCountMax(controls, context, steering)
  const thoughtTokens = thoughtTokenCount(controls, steering)
  const usefulCount = Math.min(thoughtTokens + USEFUL_ANSWER_TOKEN_COUNT, promised)
  const useful = mostOfMessage(model, context.messages, usefulCount) ?? most
  if (balance < useful) {
    const probable = mostOfMessage(model, context.messages, usefulCount, ESTIMATE_FACTOR) ?? most
    return balance < probable
      ? { tokenCount: 0, missing: useful - balance }
      : { tokenCount: Math.max(0, usefulCount - thoughtTokens), missing: 0n }
  }
  // The balance pays for the prompt but not for the promised length, so each output token has a price.
  const written = 1 + Number(((balance - begun) * BigInt(MILLION)) / (withMillion - begun))
  return { tokenCount: Math.max(0, Math.min(written, promised) - thoughtTokens), missing: 0n }
}

/** The number of words, rounded for display. */
export function wordsOfTokens(tokenCount: number): number {
  return Number((tokenCount * WORDS_PER_TOKEN).toPrecision(1))
}

/** The likely cost of sending that and getting the likely answer; null if the price is not understood. */
export function estimateOutgoing(
  model: OutgoingModel,
  context: Context,
  steering: Steering | null,
): Nano | null {
  return estimateMessage(model, context.messages, likelyAnswerTokenCount(model.controls, context, steering))
}
