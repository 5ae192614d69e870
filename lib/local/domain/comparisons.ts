import { type Conversation, type Message, messageText, picturesOf } from './conversation'
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

/** How many models can answer one question side by side. */
export const COMPARED_COUNT_MIN = 2
export const COMPARED_COUNT_MAX = 4

/** Adds several answers in one place; the first is shown by versions that cannot compare. */
export function addCompared(
  conversation: Conversation,
  questionId: string,
  answers: readonly Message[],
): Conversation {
  const grown = answers.reduce(
    // Each names its own parent, because another tab may show any of them.
    (turns, answer) => addTurns(turns, questionId, [{ ...answer, parent: questionId }]),
    conversation,
  )
  return showTurn(grown, answers[0]?.id ?? '')
}

/** All answers that this one is compared with, itself included, in the order of their creation. */
export function comparedWith(turns: Turns, answerId: string): readonly Message[] {
  const [answer, question] = pathTo(turns, answerId).toReversed()
  if (answer?.comparison === undefined) return []
  const parent = question?.id ?? null
  const shown = turns.messages.filter((_, index) => parentAt(turns.messages, index) === parent)
  const hidden = turns.branches?.filter(message => (message.parent ?? null) === parent) ?? []
  return [...shown, ...hidden].filter(({ comparison }) => comparison === answer.comparison).sort(compareMade)
}

/** The answers side by side at the end of what is shown, until one of them is kept; otherwise none. */
export function openComparison(turns: Turns): readonly Message[] {
  const last = turns.messages.at(-1)
  if (last?.comparison === undefined || last.id === undefined) return []
  const answers = comparedWith(turns, last.id)
  return answers.length < COMPARED_COUNT_MIN || answers.some(({ kept }) => kept) ? [] : answers
}

/** Whether an answer has words, or a picture. */
export function isAnswered(message: Message): boolean {
  return messageText(message) !== '' || picturesOf(message).length > 0
}

/** The answer that a further question would follow while none is kept: the one that is shown, unless it is empty. */
export function answerToContinueFrom(turns: Turns): Message | null {
  const shown = turns.messages.at(-1) ?? null
  if (shown && isAnswered(shown)) return shown
  return openComparison(turns).find(isAnswered) ?? shown
}

/** Answers in progress that a new message has to wait for: on the shown path, and beside its end. */
export function runningAnswers(conversation: Conversation): readonly string[] {
  const answers = new Set([...conversation.messages, ...openComparison(conversation)])
  return [...answers].flatMap(({ role, status, id }) =>
    role === 'assistant' && status === 'streaming' && id !== undefined ? [id] : [],
  )
}

/** Shows that answer alone; the others stay beside it, except those that never said anything. */
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

/** Before anything follows an open comparison, the answer to continue from is kept. */
export function closeComparison(conversation: Conversation): Conversation {
  const answerId =
    openComparison(conversation).length > 0 ? answerToContinueFrom(conversation)?.id : undefined
  return answerId === undefined ? conversation : keepCompared(conversation, answerId)
}

/** Puts that answer beside those that it was compared with again, unless something already follows it. */
export function reopenComparison(conversation: Conversation, answerId: string): Conversation {
  const shown = showTurn(conversation, answerId)
  if (shown.messages.at(-1)?.id !== answerId) return conversation
  return comparedWith(shown, answerId).reduce(
    (turns, { kept: _, ...answer }) => replaceMessage(turns, answer),
    shown,
  )
}

/** Whether it has no words, no reasoning, and cost nothing. */
function isNothing({ content, reasoning, status, receipt }: Message): boolean {
  const isOver = status === 'failed' || status === 'stopped'
  return isOver && content === '' && !reasoning && receipt !== undefined && Number(receipt.cost_usd) === 0
}
