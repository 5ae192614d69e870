import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { useStore } from '@/components/ui/use-store'
import type { Context } from '@/lib/exchange/client/context-window'
import { measureSome } from '@/lib/exchange/client/message-tokens'
import {
  answerWithin,
  estimateOutgoing,
  mostOutgoing,
  outgoingContext,
  type ShortAnswer,
  type Steered,
} from '@/lib/exchange/client/outgoing'
import { type Conversation, EARLIER_MESSAGES_HIGHEST, type Message } from '@/lib/local/domain/conversation'
import { instructionsStore } from '@/lib/local/instructions'
import { maxContextStore, roomForTokens } from '@/lib/local/max-context'
import { whenIdle } from '@/lib/local/when-idle'
import type { Nano } from '@/lib/money/nano'
import type { ChatModel } from './chat-model'
import { contentOf, type Draft } from './draft-store'
import { sendEarlier, useSteering } from './steering-store'

/** What sending the draft now would include and cost. */
export interface NextMessage {
  /**
   * The price with an everyday answer or one picture; null while no model is known, or if its prices cannot be parsed.
   */
  readonly estimate: Nano | null
  /** The maximum charge; null if none is promised. */
  readonly most: Nano | null
  /** Null if the model has no memory of the conversation. */
  readonly context: Context | null
  readonly more: MoreMemory | null
  /** The price with another model. */
  readonly priceOf: (model: ChatModel) => Nano | null
  /** How short an answer another model could give for a balance; null if it covers all that is promised. */
  readonly shortOf: (model: ChatModel, balance: Nano) => ShortAnswer | null
}

/** A way to send more of a conversation that is only partly sent; null if there is none. */
interface MoreMemory {
  readonly isAll: boolean
  /** What it adds to the price of each message; null if that is unknown. */
  readonly extra: Nano | null
  readonly choose: () => void
}

/** While no model is known. */
export const NOTHING_NEXT: NextMessage = {
  estimate: null,
  most: null,
  context: null,
  more: null,
  priceOf: () => null,
  shortOf: () => null,
}
const NONE: readonly Message[] = []

/** @param compared models that will answer side by side, with `model` as their stand-in */
export function useNextMessage(
  model: ChatModel | null,
  conversation: Conversation | null,
  draft: Draft,
  compared: readonly ChatModel[],
): NextMessage {
  const { text, pictureUrls, documents } = useDeferredValue(draft)
  const maxContextTokens = useStore(maxContextStore)
  const everyChat = useStore(instructionsStore)
  const messages = conversation?.messages ?? NONE
  const conversationId = conversation?.id ?? null
  const steering = useSteering(conversation)
  const isMeasured = useMeasured(messages)
  return useMemo(() => {
    if (!model) return NOTHING_NEXT
    const content = contentOf({ text, pictureUrls, documents }, '', model.takesFiles)
    const question: Message = { role: 'user', content }
    const all = [...messages, question]
    const now = { maxContextTokens, everyChat }
    // Hundreds of models share a dozen window sizes.
    const contexts = new Map<number | null, Context>()
    const contextOf = ({ windowTokens }: ChatModel) => {
      const context = contexts.get(windowTokens) ?? outgoingContext(all, steering, windowTokens, now)
      contexts.set(windowTokens, context)
      return context
    }
    const priceOf = (other: ChatModel) => estimateOutgoing(other, contextOf(other), steering)
    const mostOf = (other: ChatModel) => mostOutgoing(other, contextOf(other), steering)
    const shortOf = (other: ChatModel, balance: Nano) =>
      answerWithin(other, contextOf(other), steering, balance)
    const next = model.draws
      ? { ...NOTHING_NEXT, estimate: priceOf(model) }
      : previewMessage(model, all, contextOf(model), steering, { ...now, isMeasured }, conversationId)
    return compared.length === 0
      ? { ...next, priceOf, shortOf }
      : {
          ...next,
          priceOf,
          shortOf,
          estimate: sumOf(compared.map(priceOf)),
          most: sumOf(compared.map(mostOf)),
          more: null,
        }
  }, [
    model,
    compared,
    messages,
    steering,
    conversationId,
    text,
    pictureUrls,
    documents,
    maxContextTokens,
    everyChat,
    isMeasured,
  ])
}

const MEASURED_WITHIN_MS = 200

/** Whether the length of all messages is known. Those of a long conversation are counted step by step. */
function useMeasured(messages: readonly Message[]): boolean {
  const [counted, setCounted] = useState<readonly Message[] | null>(null)
  const isQuick = useMemo(() => measureSome(messages), [messages])
  const isMeasured = isQuick || counted === messages
  useEffect(() => {
    if (isMeasured) return
    const goOn = () => whenIdle(measure, MEASURED_WITHIN_MS)
    const measure = () => {
      if (measureSome(messages)) setCounted(messages)
      else cancel = goOn()
    }
    let cancel = goOn()
    return () => cancel()
  }, [isMeasured, messages])
  return isMeasured
}

/** Null if one of the prices is unknown. */
export function sumOf(prices: readonly (Nano | null)[]): Nano | null {
  return prices.reduce((sum, price) => (sum === null || price === null ? null : sum + price), 0n)
}

function previewMessage(
  model: ChatModel,
  messages: readonly Message[],
  context: Context,
  steering: Steered,
  { isMeasured, ...now }: { maxContextTokens: number; everyChat: string | null; isMeasured: boolean },
  conversationId: string | null,
): Omit<NextMessage, 'priceOf' | 'shortOf'> {
  const { windowTokens } = model
  const estimate = estimateOutgoing(model, context, steering)
  const most = mostOutgoing(model, context, steering)
  // The price of sending everything is shown as soon as everything is counted.
  const isAllKept = context.earlierCount === context.earlierCounts.at(-1)
  if (isAllKept || !isMeasured) return { estimate, most, context, more: null }
  const unbounded = { ...now, maxContextTokens: Number.POSITIVE_INFINITY }
  const { earlier_messages_max: chosenMax, ...unlimited } = steering
  const all = outgoingContext(messages, unlimited, windowTokens, unbounded)
  if (all.messages.length === context.messages.length) return { estimate, most, context, more: null }
  const withAll = estimateOutgoing(model, all, steering)
  const more = {
    isAll: all.earlierCount === all.earlierCounts.at(-1),
    extra: withAll === null || estimate === null ? null : withAll - estimate,
    choose: () => {
      if (chosenMax !== undefined && conversationId !== null)
        sendEarlier(conversationId, EARLIER_MESSAGES_HIGHEST)
      else maxContextStore.write(String(roomForTokens(context.olderTokenCount)))
    },
  }
  return { estimate, most, context, more }
}
