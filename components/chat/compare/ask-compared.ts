import { ensureCredit } from '@/components/credit/ensure-credit'
import type { Shortage } from '@/lib/exchange/client/browser-exchanges'
import { USEFUL_ANSWER_TOKEN_COUNT } from '@/lib/exchange/client/outgoing'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import {
  addCompared,
  closeComparison,
  comparedWith,
  keepCompared,
  openComparison,
  reopenComparison,
} from '@/lib/local/domain/comparisons'
import { type Conversation, type Message, withText } from '@/lib/local/domain/conversation'
import type { Steering } from '@/lib/local/domain/steering'
import {
  addTurns,
  pathTo,
  removeMessages,
  replaceMessage,
  showTurn,
  withMessageIds,
} from '@/lib/local/domain/turns'
import { lastBalanceStore } from '@/lib/local/last-balance'
import { createUuid } from '@/lib/local/uuid'
import type { Nano } from '@/lib/money/nano'
import {
  askBeside,
  askModel,
  createAnswer,
  createQuestion,
  newConversation,
  restoreDraft,
} from '../ask-question'
import type { ChatModel } from '../chat-model'
import { contentOf, type Draft, draftStore, EMPTY_DRAFT, NEW_CHAT } from '../draft-store'
import { finishedAnswerStore } from '../finished-answer-store'
import { stopAnswers } from '../stop-answers'
import { sharedTokenCount } from './share-balance'

interface ComparedQuestion {
  /** Null starts a new conversation. */
  readonly conversation: Conversation | null
  readonly draft: Draft
  readonly models: readonly ChatModel[]
  /** The approximate price for each model; null if its prices cannot be parsed. */
  readonly priceOf: PriceOf
}

type PriceOf = (model: ChatModel) => Nano | null

/**
 * Sends the message in the composer to several models at once, each in an exchange and with a hold of its own. A model
 * that the balance does not cover reports that in its place. If the balance covers none, the composer shows the message
 * again.
 */
export async function askCompared({ conversation: known, draft, models, priceOf }: ComparedQuestion) {
  await ensureCredit()
  const now = new Date().toISOString()
  const takesFiles = models.every(model => model.takesFiles)
  const question = createQuestion(contentOf(draft, now, takesFiles), now)
  const base = known ? closeComparison(withMessageIds(known)) : newConversation(now)
  const asking = askBehind(base, base.messages.at(-1)?.id ?? null, question, models, priceOf)
  draftStore.set(known?.id ?? NEW_CHAT, EMPTY_DRAFT)
  const shortage = await asking
  if (shortage) restoreDraft(base.id, draft)
  return shortage
}

/** Asks an edited question of all models again, in the place of the original question. */
export async function askComparedEdited(
  conversation: Conversation,
  questionId: string,
  text: string,
  models: readonly ChatModel[],
  priceOf: PriceOf,
): Promise<Shortage | null> {
  const known = withMessageIds(conversation)
  const [original, before] = pathTo(known, questionId).toReversed()
  if (!original) return null
  await ensureCredit()
  const question = createQuestion(withText(original.content, text.trim()), new Date().toISOString())
  const shortage = await askBehind(known, before?.id ?? null, question, models, priceOf)
  if (shortage) restoreDraft(known.id, { ...EMPTY_DRAFT, text, comparedIds: models.map(({ id }) => id) })
  return shortage
}

/** On a shortage, the previous turns are shown again. */
async function askBehind(
  base: Conversation,
  afterId: string | null,
  question: Message,
  models: readonly ChatModel[],
  priceOf: PriceOf,
): Promise<Shortage | null> {
  const answers = createAnswers(base, models, createUuid(), priceOf)
  const compared = addCompared(addTurns(base, afterId, [question]), question.id ?? '', answers)
  const conversation = { ...compared, model: models[0]?.id }
  conversationStore.saveConversation(conversation)
  selectedConversationStore.select(conversation.id)
  const shortage = await askAll(conversation, answers, models)
  if (!shortage) return null
  const addedIds = [question, ...answers].flatMap(({ id }) => id ?? [])
  const shownId = base.messages.at(-1)?.id
  conversationStore.change(base.id, current => {
    const left = { ...removeMessages(current, addedIds), model: base.model }
    return shownId === undefined ? left : showTurn(left, shownId)
  })
  return shortage
}

/** Asks other models the same question, side by side with an existing answer. */
export async function compareAnswer(
  conversation: Conversation,
  answerId: string,
  models: readonly ChatModel[],
  priceOf: PriceOf,
): Promise<Shortage | null> {
  const known = withMessageIds(conversation)
  const [answer, question] = pathTo(known, answerId).toReversed()
  if (!answer || question?.id === undefined) return null
  await ensureCredit()
  const comparison = answer.comparison ?? createUuid()
  const { kept: _, ...marked } = { ...answer, comparison }
  const answers = createAnswers(known, models, comparison, priceOf)
  const open = replaceMessage(reopenComparison(known, answerId), marked)
  const compared = addCompared(open, question.id, answers)
  // An answer with further messages after it would take them along, so a new answer is shown instead.
  const isLast = known.messages.at(-1)?.id === answerId
  const next = isLast ? showTurn(compared, answerId) : compared
  conversationStore.saveConversation(next)

  const shortage = await askAll(next, answers, models)
  if (!shortage) return null
  const addedIds = answers.flatMap(({ id }) => id ?? [])
  const before = [answer, ...comparedWith(known, answerId)]
  conversationStore.change(known.id, current => {
    const left = before.reduce(replaceMessage, removeMessages(current, addedIds))
    return showTurn(left, known.messages.at(-1)?.id ?? '')
  })
  return shortage
}

/** Asks again for a failed answer, in its place among the others. Text that it did write stays as a version. */
export async function askComparedAgain(
  conversation: Conversation,
  answerId: string,
  model: ChatModel,
): Promise<Shortage | null> {
  const [failed, question] = pathTo(conversation, answerId).toReversed()
  if (!failed || question?.id === undefined) return null
  await ensureCredit()
  const { comparison, created_at, ...alone } = failed
  const answer = { ...createAnswer(conversation, model, new Date().toISOString()), comparison, created_at }
  const base =
    failed.content === ''
      ? removeMessages(conversation, [answerId])
      : replaceMessage(conversation, { ...alone, created_at })
  const compared = addCompared(base, question.id, [answer])
  const next = showTurn(compared, openComparison(compared)[0]?.id ?? '')
  conversationStore.saveConversation(next)
  const isUnpromised = failed.content === '' && failed.error_code === 'price_above_limit'
  const shortage = await askAll(next, [answer], [model], isUnpromised)
  if (shortage && failed.content !== '') {
    conversationStore.change(conversation.id, current => {
      const left = replaceMessage(removeMessages(current, [answer.id ?? '']), failed)
      return showTurn(left, conversation.messages.at(-1)?.id ?? '')
    })
  }
  return shortage
}

/**
 * Shows one answer alone. The others stay as versions; those in progress are stopped, so that the rest is not paid for.
 */
export function keepAnswer(conversationId: string, answerId: string): void {
  const open = conversationStore.get(conversationId)
  stopAnswers(open ? openComparison(open).filter(({ id }) => id !== answerId) : [])
  conversationStore.change(conversationId, current => keepCompared(current, answerId))
}

/** Has a model combine the answers into one, which takes their place; they stay as versions. */
export async function mergeAnswers(
  conversation: Conversation,
  answers: readonly Message[],
  model: ChatModel,
): Promise<Shortage | null> {
  const [first] = answers
  const [, question] = pathTo(conversation, first?.id ?? '').toReversed()
  if (first?.comparison === undefined || question?.id === undefined) return null
  await ensureCredit()
  const answer: Message = {
    ...createAnswer(conversation, model, new Date().toISOString()),
    comparison: first.comparison,
    kept: true,
    merges: answers.flatMap(({ id }) => id ?? []),
  }
  return askBeside(conversation, question.id, { question: null, answer, model, mostAccepted: null })
}

/**
 * Creates the answers in the order of the models, since the order of creation is the order of display. Their length is
 * limited so that the balance covers all of them.
 */
function createAnswers(
  steering: Steering,
  models: readonly ChatModel[],
  comparison: string,
  priceOf: PriceOf,
): Message[] {
  const nowMs = Date.now()
  const balanceUsd = lastBalanceStore.getSnapshot()?.amountUsd ?? null
  const shared = sharedTokenCount(models, priceOf, balanceUsd)
  return models.map((model, index) => {
    const answer = { ...createAnswer(steering, model, new Date(nowMs + index).toISOString()), comparison }
    if (shared === null || shared < USEFUL_ANSWER_TOKEN_COUNT) return answer
    return {
      ...answer,
      max_tokens: Math.min(answer.max_tokens ?? shared, model.controls.outputTokensMax ?? shared, shared),
    }
  })
}

/** The shortage of the first answer, if the balance covers none of them. */
async function askAll(
  conversation: Conversation,
  answers: readonly Message[],
  models: readonly ChatModel[],
  isUnpromised = false,
): Promise<Shortage | null> {
  finishedAnswerStore.set(null)
  const shortages = await Promise.all(
    answers.flatMap((answer, index) => {
      const model = models[index]
      if (!model) return []
      const request = { question: null, answer, model, isUnpromised, mostAccepted: null }
      return askModel(conversation, request)
    }),
  )
  return shortages.includes(null) ? null : (shortages[0] ?? null)
}
