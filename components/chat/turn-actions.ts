import { useMemo } from 'react'
import { focusMessageBox } from '@/components/ui/focus'
import type { Context } from '@/lib/exchange/client/context-window'
import { CARRY_ON, estimateOutgoing, mostOutgoing, outgoingContext } from '@/lib/exchange/client/outgoing'
import { estimatePicture } from '@/lib/exchange/client/picture-cost'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { type Conversation, type Message, withText } from '@/lib/local/domain/conversation'
import { pathTo } from '@/lib/local/domain/turns'
import type { Nano } from '@/lib/money/nano'
import type { ChatModel } from './chat-model'
import type { Question } from './use-ask'

/** What can be done with the turns of a conversation by asking a model once more. */
export interface TurnActions {
  readonly conversationId: string
  /** The model that would answer, unless another one is chosen. */
  readonly model: ChatModel
  readonly models: readonly ChatModel[]
  /** About what it would cost to have that answer again, by the turns before it; null when no price is understood. */
  priceAgain(answerId: string, model: ChatModel): Nano | null
  answerAgain(answerId: string, model: ChatModel): void
  /** The most that the rest of an answer that ended too early can cost; null where nothing can be promised. */
  mostRest(answerId: string): Nano | null
  /** By the model that would answer, unless another one is named. */
  continueAnswer(answerId: string, modelId?: string): void
  /** What a question would cost in other words, with all that is attached to it; null when it is gone. */
  priceEdited(questionId: string, text: string): EditedPrice | null
  askEdited(questionId: string, text: string): void
  /** Anything else that is asked here. */
  ask(question: Question): void
}

interface EditedPrice {
  /** Null when no price is understood. */
  readonly estimate: Nano | null
  /** Null where nothing is promised. */
  readonly most: Nano | null
  /** Null where the model has no memory of the conversation. */
  readonly context: Context | null
  /** As far as it stands before the question. */
  readonly before: Conversation
}

/** Null while no model is known. They stay the same while an answer comes in, so that no message is drawn anew. */
export function useTurnActions(
  conversationId: string | null,
  model: ChatModel | null,
  models: readonly ChatModel[],
  askQuestion: (question: Question) => Promise<void>,
): TurnActions | null {
  return useMemo(() => {
    if (!model || conversationId === null) return null
    const ask = (question: Question) => {
      // What was pressed goes away with the answer that begins.
      focusMessageBox()
      void askQuestion(question)
    }
    const now = (): Conversation | null => conversationStore.get(conversationId)
    const priceAgain = (answerId: string, asked: ChatModel): Nano | null => {
      const conversation = now()
      return conversation && estimateAnswer(asked, conversation, pathTo(conversation, answerId).slice(0, -1))
    }
    const restOf = (conversation: Conversation, answerId: string) => [
      ...pathTo(conversation, answerId),
      CARRY_ON,
    ]
    const priceEdited = (questionId: string, text: string): EditedPrice | null => {
      const conversation = now()
      const [asked, ...before] = conversation ? pathTo(conversation, questionId).toReversed() : []
      if (!conversation || !asked) return null
      const question: Message = { role: 'user', content: withText(asked.content, text.trim()) }
      const messages = [...before.toReversed(), question]
      return {
        estimate: estimateAnswer(model, conversation, messages),
        most: mostAnswer(model, conversation, messages),
        context: model.draws ? null : outgoingContext(messages, conversation, model.windowTokens),
        before: { ...conversation, messages: messages.slice(0, -1) },
      }
    }
    return {
      conversationId,
      model,
      models,
      ask,
      priceAgain,
      answerAgain(answerId, asked) {
        const conversation = now()
        if (!conversation) return
        ask({
          model: asked,
          estimate: priceAgain(answerId, asked),
          most: mostAnswer(asked, conversation, pathTo(conversation, answerId).slice(0, -1)),
          conversation,
          ask: async most =>
            (await import('./ask-question')).answerAgain(conversation, answerId, asked, most),
        })
      },
      mostRest(answerId) {
        const conversation = now()
        return conversation && mostAnswer(model, conversation, restOf(conversation, answerId))
      },
      continueAnswer(answerId, modelId) {
        const conversation = now()
        const asked = models.find(({ id }) => id === modelId) ?? model
        // Another tab may have gone on with it.
        if (conversation?.messages.at(-1)?.id !== answerId) return
        const messages = restOf(conversation, answerId)
        ask({
          model: asked,
          estimate: estimateAnswer(asked, conversation, messages),
          most: mostAnswer(asked, conversation, messages),
          conversation,
          ask: async most =>
            (await import('./ask-question')).continueAnswer(conversation, answerId, asked, most),
        })
      },
      priceEdited,
      askEdited(questionId, text) {
        const conversation = now()
        const price = priceEdited(questionId, text)
        if (!conversation || !price) return
        ask({
          model,
          estimate: price.estimate,
          most: price.most,
          conversation,
          ask: async most =>
            (await import('./ask-question')).askEdited(conversation, questionId, text, model, most),
        })
      },
    }
  }, [conversationId, model, models, askQuestion])
}

/** About what an answer to the last of these messages costs, by how the conversation is steered. */
export function estimateAnswer(
  model: ChatModel,
  conversation: Conversation,
  messages: Conversation['messages'],
): Nano | null {
  if (model.draws) return estimatePicture(model.prices)
  return estimateOutgoing(model, outgoingContext(messages, conversation, model.windowTokens), conversation)
}

/** What it is promised to cost at the most; null where nothing is. */
export function mostAnswer(
  model: ChatModel,
  conversation: Conversation,
  messages: Conversation['messages'],
): Nano | null {
  if (model.draws) return null
  return mostOutgoing(model, outgoingContext(messages, conversation, model.windowTokens), conversation)
}
