import { type Conversation, type Message, messageText } from './conversation'
import {
  addTurns,
  compareMade,
  findTurn,
  parentAt,
  pathTo,
  removeMessages,
  replaceMessage,
  showTurn,
  type Turns,
} from './turns'

/** So many models answer one question side by side. */
export const COMPARED_COUNT_MIN = 2
export const COMPARED_COUNT_MAX = 4

/** Asks for several answers in one place: the first of them is the one that is shown to who cannot compare. */
export function addCompared(
  conversation: Conversation,
  questionId: string,
  answers: readonly Message[],
): Conversation {
  const grown = answers.reduce(
    // Each says so itself that it stands in another's place: another tab may show any of them.
    (turns, answer) => addTurns(turns, questionId, [{ ...answer, parent: questionId }]),
    conversation,
  )
  return showTurn(grown, answers[0]?.id ?? '')
}

/** All that this answer is compared with, itself included, in the order of their making. */
export function comparedWith(turns: Turns, answerId: string): readonly Message[] {
  const [answer, question] = pathTo(turns, answerId).toReversed()
  if (answer?.comparison === undefined) return []
  const parent = question?.id ?? null
  const shown = turns.messages.filter((_, index) => parentAt(turns.messages, index) === parent)
  const hidden = turns.branches?.filter(message => (message.parent ?? null) === parent) ?? []
  return [...shown, ...hidden].filter(({ comparison }) => comparison === answer.comparison).sort(compareMade)
}

/** The answers that stand side by side at the end of what is shown, until one of them is kept; else none. */
export function openComparison(turns: Turns): readonly Message[] {
  const last = turns.messages.at(-1)
  if (last?.comparison === undefined || last.id === undefined) return []
  const answers = comparedWith(turns, last.id)
  return answers.length < COMPARED_COUNT_MIN || answers.some(({ kept }) => kept) ? [] : answers
}

/** Which of them a further question goes on from, while none is kept: the one that is shown, if it says anything. */
export function goesOnFrom(turns: Turns): Message | null {
  const says = (message: Message) => messageText(message) !== ''
  const shown = turns.messages.at(-1) ?? null
  if (shown && says(shown)) return shown
  return openComparison(turns).find(says) ?? shown
}

/** Answers on their way that one waits for: on the shown path, and beside its end. */
export function runningAnswers(conversation: Conversation): readonly string[] {
  const answers = new Set([...conversation.messages, ...openComparison(conversation)])
  return [...answers].flatMap(({ role, status, id }) =>
    role === 'assistant' && status === 'streaming' && id !== undefined ? [id] : [],
  )
}

/** Shows that answer alone; the others stay beside it, but for those that never said anything. */
export function keepCompared(conversation: Conversation, answerId: string): Conversation {
  const answer = findTurn(conversation, answerId)
  if (!answer) return conversation
  const silentIds = comparedWith(conversation, answerId).flatMap(message =>
    message.id !== undefined && message.id !== answerId && isNothing(message) ? [message.id] : [],
  )
  const kept = replaceMessage(conversation, { ...answer, kept: true })
  const shown = showTurn(removeMessages(kept, silentIds), answerId)
  return { ...shown, model: answer.model ?? conversation.model }
}

/** Before anything is said behind a comparison that is open, the answer that it goes on from is kept. */
export function closeComparison(conversation: Conversation): Conversation {
  const answerId = openComparison(conversation).length > 0 ? goesOnFrom(conversation)?.id : undefined
  return answerId === undefined ? conversation : keepCompared(conversation, answerId)
}

/** Puts that answer beside those again that it was compared with, unless something was said behind it. */
export function reopenComparison(conversation: Conversation, answerId: string): Conversation {
  const shown = showTurn(conversation, answerId)
  if (shown.messages.at(-1)?.id !== answerId) return conversation
  return comparedWith(shown, answerId).reduce(
    (turns, { kept: _, ...answer }) => replaceMessage(turns, answer),
    shown,
  )
}

/** No word, no thought, and nothing paid for it. */
function isNothing({ content, reasoning, status, receipt }: Message): boolean {
  const isOver = status === 'failed' || status === 'stopped'
  return isOver && content === '' && !reasoning && receipt !== undefined && Number(receipt.cost_usd) === 0
}
