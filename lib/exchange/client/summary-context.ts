import type { Message } from '@/lib/local/domain/conversation'
import type { Context } from './context-window'
import { outgoingContext } from './outgoing'

/** Asks for a summary; not part of the conversation. */
const SUMMARISE: Message = {
  role: 'user',
  content:
    'Summarise our conversation so far, so that you can go on without the messages above. Keep facts, names, numbers, decisions, open questions, what I asked of your answers, and text or code that is still needed. Write in the language of the conversation, as briefly as that allows. Begin with no remark.',
}
/** What is sent to a model for a summary of these messages; earlier summaries are sent as such. */
export function summaryContext(
  messages: readonly Message[],
  branches: readonly Message[] | undefined,
  windowTokens: number | null,
): Context {
  const all = { maxContextTokens: Number.POSITIVE_INFINITY, everyChat: null }
  return outgoingContext([...messages, SUMMARISE], { branches: [...(branches ?? [])] }, windowTokens, all)
}
