import { ensureCredit } from '@/components/credit/ensure-credit'
import type { Shortage } from '@/lib/exchange/client/browser-exchanges'
import type { ExchangeKindName } from '@/lib/exchange/client/kinds'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import {
  type ContentPart,
  type Conversation,
  type Message,
  removeMessages,
} from '@/lib/local/domain/conversation'
import { createUuid } from '@/lib/local/uuid'
import { browserExchanges } from './browser-exchanges'
import type { ChatModel } from './chat-model'
import { documentPart } from './draft-document'
import { type Draft, draftStore, EMPTY_DRAFT, NEW_CHAT } from './draft-store'
import { finishedAnswerStore } from './finished-answer-store'

interface QuestionInput {
  /** Null starts a new conversation. */
  readonly conversation: Conversation | null
  readonly draft: Draft
  readonly model: ChatModel
}

/**
 * Sends what stands in the composer. On a shortage it stands there again, word for word. A free model
 * needs an account too, though an empty one: its usage is listed there.
 */
export async function askQuestion(input: QuestionInput): Promise<Shortage | null> {
  const { conversation: known, draft, model } = input
  await ensureCredit()
  const now = new Date().toISOString()
  const question: Message = {
    role: 'user',
    id: createUuid(),
    content: contentOf(draft, now, model.takesFiles),
    created_at: now,
  }
  const answer = createAnswer(model, now)
  const base = known ?? { id: createUuid(), created_at: now, messages: [] }
  const conversation = { ...base, model: model.id, messages: [...base.messages, question, answer] }
  conversationStore.saveConversation(conversation)
  selectedConversationStore.select(conversation.id)
  draftStore.set(known?.id ?? NEW_CHAT, EMPTY_DRAFT)

  const shortage = await ask(conversation, { question, answer, model })
  if (shortage) giveBack(conversation.id, draft)
  return shortage
}

/** Asks again for an answer that failed or was stopped; nothing that was paid for is thrown away. */
export async function retryAnswer(
  conversation: Conversation,
  answerId: string,
  model: ChatModel,
): Promise<Shortage | null> {
  const index = conversation.messages.findIndex(({ id }) => id === answerId)
  const failed = conversation.messages[index]
  const question = conversation.messages[index - 1]
  if (!failed || question?.role !== 'user') return null
  await ensureCredit()
  const now = new Date().toISOString()
  const answer = createAnswer(model, now)
  // An answer with text in it stays where it is, and the question is put once more below.
  const isEmpty = failed.content === ''
  const repeated: Message = isEmpty ? question : { ...question, id: createUuid(), created_at: now }
  const before = isEmpty ? removeMessages(conversation, [answerId]).messages : conversation.messages
  const messages = isEmpty ? [...before, answer] : [...before, repeated, answer]
  const next = { ...conversation, model: model.id, messages }
  conversationStore.saveConversation(next)
  const shortage = await ask(next, { question: isEmpty ? null : repeated, answer, model })
  if (shortage && isEmpty) conversationStore.saveConversation(conversation)
  return shortage
}

async function ask(
  conversation: Conversation,
  { question, answer, model }: { question: Message | null; answer: Message; model: ChatModel },
) {
  finishedAnswerStore.set(null)
  const kind: ExchangeKindName = model.draws ? 'image' : 'chat'
  const shortage = await browserExchanges.ask(conversation, question?.id ?? '', answer.id ?? '', kind)
  const isShown = selectedConversationStore.selectedId() === conversation.id
  if (!shortage && isShown) finishedAnswerStore.set(answer.id ?? null)
  return shortage
}

function giveBack(conversationId: string, draft: Draft): void {
  const left = conversationStore.get(conversationId)
  const isEmpty = left !== null && left.messages.length === 0
  if (isEmpty) {
    const isShown = selectedConversationStore.selectedId() === conversationId
    conversationStore.deleteConversation(conversationId)
    if (isShown) selectedConversationStore.select(null)
  }
  const id = isEmpty ? NEW_CHAT : conversationId
  const meanwhile = draftStore.get(id)
  const text = meanwhile.text === '' ? draft.text : `${draft.text}\n\n${meanwhile.text}`
  const documents = [...draft.documents, ...meanwhile.documents]
  draftStore.set(id, { ...draft, text, documents })
}

function createAnswer(model: ChatModel, now: string): Message {
  return {
    role: 'assistant',
    id: createUuid(),
    content: '',
    created_at: now,
    model: model.id,
    status: 'streaming',
    ...(model.takesFiles ? { takes_files: true } : {}),
    ...(model.takesPictures ? { takes_pictures: true } : {}),
  }
}

function contentOf(draft: Draft, now: string, takesFiles: boolean): string | ContentPart[] {
  const text = draft.text.trim()
  if (draft.pictureUrls.length + draft.documents.length === 0) return text
  const pictures: ContentPart[] = draft.pictureUrls.map(url => ({
    type: 'image_url',
    image_url: { url, created_at: now },
  }))
  const documents = draft.documents.map(document => documentPart(document, now, takesFiles))
  const attached = [...pictures, ...documents]
  return text === '' ? attached : [{ type: 'text', text }, ...attached]
}
