import { ensureCredit } from '@/components/credit/ensure-credit'
import { BrowserExchanges, type Shortage } from '@/lib/exchange/client/browser-exchanges'
import type { ExchangeKindName } from '@/lib/exchange/client/exchange-kinds'
import { mostOutgoing, outgoingParameters } from '@/lib/exchange/client/outgoing'
import { pageWorld } from '@/lib/exchange/client/page-world'
import { chatContext } from '@/lib/exchange/client/request-body'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { closeComparison } from '@/lib/local/domain/comparisons'
import { type Conversation, type Message, withText } from '@/lib/local/domain/conversation'
import { type Steering, steeringOf } from '@/lib/local/domain/steering'
import {
  addTurns,
  allMessages,
  pathTo,
  removeMessages,
  showTurn,
  withMessageIds,
} from '@/lib/local/domain/turns'
import { createUuid } from '@/lib/local/uuid'
import { formatUsd, minNano, type Nano } from '@/lib/money/nano'
import type { ChatModel } from './chat-model'
import { contentOf, type Draft, draftStore, EMPTY_DRAFT, NEW_CHAT } from './draft-store'
import { exchangeParts } from './exchange-parts'
import { finishedAnswerStore } from './finished-answer-store'
import { pageExchanges } from './page-exchanges'
import { newChatSteering } from './steering-store'

// Loads together with this module, so that a question that is stored can also be sent.
exchangeParts.loaded = { BrowserExchanges, pageWorld }

interface QuestionInput {
  /** Null starts a new conversation. */
  readonly conversation: Conversation | null
  readonly draft: Draft
  readonly model: ChatModel
  /** The most that the person has accepted; null to accept the price that was promised. */
  readonly mostAccepted: Nano | null
}

/**
 * Sends the message in the composer. On a shortage of credit the composer shows it again, word for word. A free model
 * needs an account too, though an empty one, since its usage is listed there.
 */
export async function askQuestion(input: QuestionInput): Promise<Shortage | null> {
  const { conversation: known, draft, model, mostAccepted } = input
  await ensureCredit()
  const now = new Date().toISOString()
  const question = createQuestion(contentOf(draft, now, model.takesFiles), now)
  const base = known ? closeComparison(known) : newConversation(now)
  const answer = createAnswer(base, model, now)
  const conversation = { ...base, model: model.id, messages: [...base.messages, question, answer] }
  conversationStore.saveConversation(conversation)
  selectedConversationStore.select(conversation.id)
  draftStore.set(known?.id ?? NEW_CHAT, EMPTY_DRAFT)

  const shortage = await ask(conversation, { question, answer, model, mostAccepted })
  if (shortage) restoreDraft(conversation.id, draft)
  return shortage
}

/**
 * Sends a message from the queue after the given turn, or after the last one shown (null). The draft in the composer
 * stays.
 */
export function askQueued(
  conversation: Conversation,
  afterId: string | null,
  { id, draft, model }: { id: string; draft: Draft; model: ChatModel },
): Promise<Shortage | null> {
  const known = withMessageIds(closeComparison(conversation))
  const now = new Date().toISOString()
  const question = createQuestion(contentOf(draft, now, model.takesFiles), now, id)
  const answer = createAnswer(known, model, now)
  const next = addTurns(known, afterId ?? known.messages.at(-1)?.id ?? null, [question, answer])
  conversationStore.saveConversation(next)
  return ask(next, { question, answer, model, mostAccepted: null })
}

/** Asks for another answer in the place of an existing one. The old one stays as a version, unless it is empty. */
export async function answerAgain(
  conversation: Conversation,
  answerId: string,
  model: ChatModel,
  mostAccepted: Nano | null,
): Promise<Shortage | null> {
  const known = withMessageIds(conversation)
  const [question, replaced] = pathTo(known, answerId).slice(-2)
  if (!replaced || question?.role !== 'user') return null
  await ensureCredit()
  const answer = createAnswer(known, model, new Date().toISOString())
  const failed = replaced.content === '' ? replaced : null
  return askInPlaceOf(failed, known, question.id ?? null, { question: null, answer, model, mostAccepted })
}

/** Continues an answer that ended too early. */
export async function continueAnswer(
  conversation: Conversation,
  answerId: string,
  model: ChatModel,
  mostAccepted: Nano | null,
): Promise<Shortage | null> {
  const known = withMessageIds(conversation)
  await ensureCredit()
  const answer: Message = {
    ...createAnswer(known, model, new Date().toISOString()),
    continues: true,
  }
  const [before, last] = pathTo(known, answerId).slice(-2)
  // Replaces an earlier continuation that failed without any text.
  const failed = last?.continues === true && last.content === '' ? last : null
  const afterId = (failed ? before?.id : answerId) ?? null
  return askInPlaceOf(failed, known, afterId, { question: null, answer, model, mostAccepted })
}

/** On a shortage, the empty message that was replaced is shown again. */
async function askInPlaceOf(
  failed: Message | null,
  known: Conversation,
  afterId: string | null,
  request: AnswerRequest,
): Promise<Shortage | null> {
  const isUnpromised = failed?.error_code === 'price_above_limit'
  const base = failed ? removeMessages(known, [failed.id ?? '']) : known
  const shortage = await askBeside(base, afterId, { ...request, isUnpromised })
  if (shortage && failed) conversationStore.saveConversation(known)
  return shortage
}

/**
 * Asks an edited question in the place of the original, with the same attachments. On a shortage the text goes to the
 * composer.
 */
export async function askEdited(
  conversation: Conversation,
  questionId: string,
  text: string,
  model: ChatModel,
  mostAccepted: Nano | null,
): Promise<Shortage | null> {
  const known = withMessageIds(conversation)
  const [original, before] = pathTo(known, questionId).toReversed()
  if (!original) return null
  await ensureCredit()
  const now = new Date().toISOString()
  const question = createQuestion(withText(original.content, text.trim()), now)
  const answer = createAnswer(known, model, now)
  const shortage = await askBeside(known, before?.id ?? null, { question, answer, model, mostAccepted })
  if (shortage) restoreDraft(conversation.id, { ...EMPTY_DRAFT, text })
  return shortage
}

interface AnswerRequest {
  /** Removed together with the answer on a shortage; null if there is no question to remove. */
  readonly question: Message | null
  readonly answer: Message
  readonly model: ChatModel
  /** Accepts any real cost, since no price could be promised. */
  readonly isUnpromised?: boolean
  /** The most that the person has accepted; null to accept the price that was promised. */
  readonly mostAccepted: Nano | null
}

/** On a shortage, the previous turns and model are shown again. */
export async function askBeside(known: Conversation, afterId: string | null, request: AnswerRequest) {
  const { question, answer, model } = request
  const added = question ? [question, answer] : [answer]
  const next = { ...addTurns(known, afterId, added), model: model.id }
  conversationStore.saveConversation(next)
  const shortage = await ask(next, request)
  const left = shortage && conversationStore.get(known.id)
  const last = known.messages.at(-1)?.id
  if (left) conversationStore.saveConversation({ ...showTurn(left, last ?? ''), model: known.model })
  return shortage
}

async function ask(conversation: Conversation, request: AnswerRequest) {
  finishedAnswerStore.set(null)
  const shortage = await askModel(conversation, request)
  const isShown = selectedConversationStore.selectedId() === conversation.id
  if (!shortage && isShown) finishedAnswerStore.set(request.answer.id ?? null)
  return shortage
}

/** Has a model write the answer that the stored conversation holds, for no more than its promised price. */
export function askModel(
  conversation: Conversation,
  { question, answer, model, isUnpromised = false, mostAccepted }: AnswerRequest,
) {
  const answerId = answer.id ?? ''
  const kind: ExchangeKindName = model.draws ? 'image' : 'chat'
  const messages = pathTo(conversation, answerId)
  const whole = { ...conversation, messages, branches: [...allMessages(conversation)] }
  // Uses the answer's own parameters, which for a summary differ from the conversation's.
  const most = isUnpromised ? null : mostOutgoing(model, chatContext(whole, answerId), answer)
  const accepted = most === null || mostAccepted === null ? most : minNano(most, mostAccepted)
  const mostUsd = accepted === null ? null : formatUsd(accepted)
  return pageExchanges.ask(conversation, question?.id ?? '', answerId, kind, mostUsd)
}

export function restoreDraft(conversationId: string, draft: Draft): void {
  const left = conversationStore.get(conversationId)
  const isEmpty = left !== null && left.messages.length === 0
  if (isEmpty) {
    const isShown = selectedConversationStore.selectedId() === conversationId
    conversationStore.deleteConversation(conversationId)
    if (isShown) selectedConversationStore.select(null)
    newChatSteering.set(steeringOf(left))
  }
  draftStore.giveBack(isEmpty ? NEW_CHAT : conversationId, draft)
}

/** Takes over the steering that was chosen for the new chat, and clears it for the next one. */
export function newConversation(now: string): Conversation {
  const steering = newChatSteering.getSnapshot()
  newChatSteering.set({})
  return { id: createUuid(), created_at: now, messages: [], ...steering }
}

export function createQuestion(content: Message['content'], now: string, id = createUuid()): Message {
  return { role: 'user', id, content, created_at: now }
}

export function createAnswer(steering: Steering, model: ChatModel, now: string): Message {
  return {
    role: 'assistant',
    id: createUuid(),
    content: '',
    created_at: now,
    model: model.id,
    status: 'streaming',
    ...(model.takesFiles ? { takes_files: true } : {}),
    ...(model.takesPictures ? { takes_pictures: true } : {}),
    ...(model.windowTokens === null ? {} : { window_tokens: model.windowTokens }),
    ...(model.draws ? {} : outgoingParameters(model.controls, steering)),
  }
}
