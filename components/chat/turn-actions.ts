import { useMemo } from 'react'
import { focusMessageBox } from '@/components/ui/focus'
import type { Context } from '@/lib/exchange/client/context-window'
import {
  CARRY_ON,
  estimateOutgoing,
  mostOutgoing,
  outgoingContext,
  type Steered,
} from '@/lib/exchange/client/outgoing'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { openComparison } from '@/lib/local/domain/comparisons'
import { type Conversation, type Message, withText } from '@/lib/local/domain/conversation'
import { pathTo } from '@/lib/local/domain/turns'
import type { Nano } from '@/lib/money/nano'
import { type ChatModel, isFree } from './chat-model'
import type { Question } from './use-ask'
import { sumOf } from './use-next-message'

/** The actions on a conversation's turns that ask a model again. */
export interface TurnActions {
  readonly conversationId: string
  /** The model that answers unless another one is chosen. */
  readonly model: ChatModel
  readonly models: readonly ChatModel[]
  /** The approximate price of asking for that answer again; null if the prices cannot be parsed. */
  priceAgain(answerId: string, model: ChatModel): Nano | null
  answerAgain(answerId: string, model: ChatModel): void
  /** The maximum price of the rest of an answer that ended too early; null if none can be promised. */
  mostRest(answerId: string): Nano | null
  /** Uses the model that would answer, unless another one is given. */
  continueAnswer(answerId: string, modelId?: string): void
  /** The price of a question after an edit, with its attachments; null if the question is gone. */
  priceEdited(questionId: string, text: string): EditedPrice | null
  askEdited(questionId: string, text: string): void
  /** Any other question in this conversation. */
  ask(question: Question): void
}

interface EditedPrice {
  /** The models that answer it: several if the question was put to several. */
  readonly models: readonly ChatModel[]
  readonly priceOf: (model: ChatModel) => Nano | null
  /** For all of the models; null if the prices cannot be parsed. */
  readonly estimate: Nano | null
  /** Null if no maximum is promised. */
  readonly most: Nano | null
  /** Null if the model has no memory of the conversation, and if several answer. */
  readonly context: Context | null
  /** The conversation before the question. */
  readonly before: Conversation
}

/**
 * Null while no model is known. The object stays the same while an answer arrives, so that no message renders again.
 */
export function useTurnActions(
  conversationId: string | null,
  model: ChatModel | null,
  models: readonly ChatModel[],
  askQuestion: (question: Question) => Promise<void>,
): TurnActions | null {
  return useMemo(() => {
    if (!model || conversationId === null) return null
    const ask = (question: Question) => {
      // The pressed button disappears when the answer begins.
      focusMessageBox()
      void askQuestion(question)
    }
    const now = (): Conversation | null => conversationStore.get(conversationId)
    const priceAgain = (answerId: string, chosen: ChatModel): Nano | null => {
      const conversation = now()
      return conversation && estimateAnswer(chosen, conversation, pathTo(conversation, answerId).slice(0, -1))
    }
    const restOf = (conversation: Conversation, answerId: string) => [
      ...pathTo(conversation, answerId),
      CARRY_ON,
    ]
    /** The compared models while no answer is kept, else the one that would answer. */
    const modelsToAsk = (conversation: Conversation, questionId: string): readonly ChatModel[] => {
      if (conversation.messages.at(-2)?.id !== questionId) return [model]
      const ids = openComparison(conversation).map(answer => answer.model)
      const compared = models.filter(({ id }) => ids.includes(id))
      return compared.length > 1 ? compared : [model]
    }
    const priceEdited = (questionId: string, text: string): EditedPrice | null => {
      const conversation = now()
      const [first, ...before] = conversation ? pathTo(conversation, questionId).toReversed() : []
      if (!conversation || !first) return null
      const question: Message = { role: 'user', content: withText(first.content, text.trim()) }
      const messages = [...before.toReversed(), question]
      const modelsAsked = modelsToAsk(conversation, questionId)
      const priceOf = (one: ChatModel) => estimateAnswer(one, conversation, messages)
      return {
        models: modelsAsked,
        priceOf,
        estimate: sumOf(modelsAsked.map(priceOf)),
        most: sumOf(modelsAsked.map(one => mostAnswer(one, conversation, messages))),
        context:
          model.draws || modelsAsked.length > 1
            ? null
            : outgoingContext(messages, conversation, model.windowTokens),
        before: { ...conversation, messages: messages.slice(0, -1) },
      }
    }
    return {
      conversationId,
      model,
      models,
      ask,
      priceAgain,
      answerAgain(answerId, chosen) {
        const conversation = now()
        if (!conversation) return
        ask({
          model: chosen,
          estimate: priceAgain(answerId, chosen),
          most: mostAnswer(chosen, conversation, pathTo(conversation, answerId).slice(0, -1)),
          conversation,
          ask: async most =>
            (await import('./ask-question')).answerAgain(conversation, answerId, chosen, most),
        })
      },
      mostRest(answerId) {
        const conversation = now()
        return conversation && mostAnswer(model, conversation, restOf(conversation, answerId))
      },
      continueAnswer(answerId, modelId) {
        const conversation = now()
        const chosen = models.find(({ id }) => id === modelId) ?? model
        // Another tab may have continued it.
        if (conversation?.messages.at(-1)?.id !== answerId) return
        const messages = restOf(conversation, answerId)
        ask({
          model: chosen,
          estimate: estimateAnswer(chosen, conversation, messages),
          most: mostAnswer(chosen, conversation, messages),
          conversation,
          ask: async most =>
            (await import('./ask-question')).continueAnswer(conversation, answerId, chosen, most),
        })
      },
      priceEdited,
      askEdited(questionId, text) {
        const conversation = now()
        const price = priceEdited(questionId, text)
        if (!conversation || !price) return
        const { models: modelsAsked, priceOf } = price
        ask({
          model: modelsAsked.find(one => !isFree(one)) ?? model,
          estimate: price.estimate,
          most: price.most,
          conversation,
          ask: async most =>
            modelsAsked.length > 1
              ? (await import('./compare/ask-compared')).askComparedEdited(
                  conversation,
                  questionId,
                  text,
                  modelsAsked,
                  priceOf,
                )
              : (await import('./ask-question')).askEdited(conversation, questionId, text, model, most),
        })
      },
    }
  }, [conversationId, model, models, askQuestion])
}

/** The approximate price of an answer to the last of these messages, with the steering of their conversation. */
export function estimateAnswer(
  model: ChatModel,
  steering: Steered,
  messages: Conversation['messages'],
): Nano | null {
  return estimateOutgoing(model, outgoingContext(messages, steering, model.windowTokens), steering)
}

/** The promised maximum price; null if none is promised. */
export function mostAnswer(
  model: ChatModel,
  conversation: Conversation,
  messages: Conversation['messages'],
): Nano | null {
  return mostOutgoing(model, outgoingContext(messages, conversation, model.windowTokens), conversation)
}
