import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import { TOKENS_PER_MESSAGE } from '@/lib/catalogue/domain/prompt-tokens'
import { missingDocument } from '@/lib/documents/domain/document-as-text'
import { type ContentPart, type Message, messageText } from '@/lib/local/domain/conversation'
import { countMessageTokens, countPartTokens, countTokensOf } from './message-tokens'
import { nameOfAddress } from './web-parts'

export interface ContextLimits {
  /** The user's setting: limits what is older than the last exchange. */
  readonly maxContextTokens: number
  /** The model's context window; null if its host does not say. */
  readonly windowTokens: number | null
  /** Always sent first; null if there are none. */
  readonly instructions: string | null
  /** Chosen for this conversation: how many messages before the question, in place of `maxContextTokens`. */
  readonly earlierMessagesMax?: number
  /** Sent like instructions, in place of all messages before that index. */
  readonly summary?: { readonly message: Message; readonly fromIndex: number } | null
}

/** What is sent to the model with a question. */
export interface Context {
  /** The instructions, then oldest first, the question last. */
  readonly messages: readonly Message[]
  /** How many of them come before the question, without instructions and a summary. */
  readonly earlierCount: number
  /** The possible numbers of them, ascending: none, or from any earlier question on. */
  readonly earlierCounts: readonly number[]
  /** The index in the original list from which on everything is sent. */
  readonly startIndex: number
  /** Messages before this index are sent as a summary; 0 if there is none. */
  readonly fromIndex: number
  /** The tokens of all that is older than the last exchange, whether it is sent or not. */
  readonly olderTokenCount: number
}

export const NOTHING_SAID: Context = {
  messages: [],
  earlierCount: 0,
  earlierCounts: [0],
  startIndex: 0,
  fromIndex: 0,
  olderTokenCount: 0,
}

/** The rest is for the answer, and for errors of our token count. */
const WINDOW_SHARE = 3 / 4
/** A shorter part of a message would be useless to the model. */
const SHORTENED_TOKENS_MIN = 64
const MIDDLE_LEFT_OUT = '\n\n[The middle of this message is not included]\n\n'
/** In place of a picture that cannot be sent, as `missingDocument` for a document. */
export const MISSING_PICTURE = '[A picture is not included]'

/**
 * Chooses the question, which is never cut; the last exchange before it, however long it is ("make that shorter" needs
 * it), cut in its middle only if the model's window requires it; and the newest of the older messages that fit
 * `maxContextTokens`, with instructions (`system`) first. It never begins with an answer whose question was left out.
 */
export function chooseContext(messages: readonly Message[], limits: ContextLimits): Context {
  const last = messages.at(-1)
  const { message: summary, fromIndex } = limits.summary ?? { message: null, fromIndex: 0 }
  const sent = messages.filter(
    (message, index) => index >= fromIndex && isSpoken(message) && (message === last || !message.left_out),
  )
  const { earlierMessagesMax } = limits
  const maxContextTokens =
    earlierMessagesMax === undefined ? limits.maxContextTokens : Number.POSITIVE_INFINITY
  const spoken = dropOrphanedAnswers(newestOf(sent, earlierMessagesMax))
  const question = spoken.at(-1)
  if (!question) return { ...NOTHING_SAID, fromIndex }
  const instructions: Message[] = [
    ...(limits.instructions ? [instructionsMessage(limits.instructions)] : []),
    ...(summary ? [summary] : []),
  ]
  const exchangeIndex = findLastExchange(spoken)
  const older = spoken.slice(0, exchangeIndex)
  const windowTokens = limits.windowTokens ?? Number.POSITIVE_INFINITY
  const roomTokens = Math.floor(windowTokens * WINDOW_SHARE) - countTokensOf([...instructions, question])
  const exchange = fitExchange(spoken.slice(exchangeIndex, -1), roomTokens)
  // Without the last exchange, the model would take an older one for it.
  const isGap = exchange === null
  const olderRoomTokens = isGap ? 0 : roomTokens - countTokensOf(exchange)
  const kept = chooseOlder(older, Math.min(maxContextTokens, olderRoomTokens))
  const first = kept.find(({ role }) => role !== 'system') ?? spoken[exchangeIndex]
  const earlier = [...kept, ...(exchange ?? [])]
  return {
    messages: [...instructions, ...earlier, question],
    earlierCount: earlier.filter(({ role }) => role !== 'system').length,
    earlierCounts: countsFromQuestions(sent),
    startIndex: messages.indexOf(isGap || !first ? question : first),
    fromIndex,
    // Lazy: in a long conversation this takes more counting than all the rest, and is hardly ever needed.
    get olderTokenCount() {
      return countTokensOf(older)
    },
  }
}

/** The question and that many messages before it, and all instructions. */
function newestOf(sent: readonly Message[], earlierMessagesMax: number | undefined): readonly Message[] {
  if (earlierMessagesMax === undefined) return sent
  const earlier = sent.slice(0, -1).filter(({ role }) => role !== 'system')
  const kept = new Set(earlier.slice(Math.max(0, earlier.length - earlierMessagesMax)))
  return sent.filter(
    (message, index) => message.role === 'system' || kept.has(message) || index === sent.length - 1,
  )
}

/** An answer is never sent without its question. */
function countsFromQuestions(sent: readonly Message[]): readonly number[] {
  const earlier = sent.slice(0, -1).filter(({ role }) => role !== 'system')
  const counts = earlier.flatMap(({ role }, index) => (role === 'user' ? [earlier.length - index] : []))
  return [0, ...counts.reverse()]
}

let lastInstructions: Message = { role: 'system', content: '' }

/** The same object for the same text, so that its tokens are counted once. */
function instructionsMessage(content: string): Message {
  if (lastInstructions.content !== content) lastInstructions = { role: 'system', content }
  return lastInstructions
}

/** Whether, by our count, a model with this window can read the message and still answer it. */
export function fitsWindow(message: Message, windowTokens: number | null): boolean {
  return windowTokens === null || countMessageTokens(message) <= windowTokens * WINDOW_SHARE
}

/** Answers that never came would only confuse the model. */
function isSpoken(message: Message): boolean {
  const known = message.role === 'user' || message.role === 'assistant' || message.role === 'system'
  return known && (message.role !== 'assistant' || messageText(message) !== '')
}

/** From the question of the last answer on; without an answer, from the question before the last. */
function findLastExchange(spoken: readonly Message[]): number {
  const before = spoken.slice(0, -1)
  const answerIndex = before.findLastIndex(({ role }) => role === 'assistant')
  const until = answerIndex < 0 ? before : before.slice(0, answerIndex)
  const questionIndex = until.findLastIndex(({ role }) => role === 'user')
  return questionIndex < 0 ? before.length : questionIndex
}

function chooseOlder(older: readonly Message[], roomTokens: number): readonly Message[] {
  let remaining = roomTokens
  const kept = new Set<Message>()
  for (const message of older.filter(({ role }) => role === 'system')) {
    const cost = countMessageTokens(message)
    if (cost > remaining) continue
    kept.add(message)
    remaining -= cost
  }
  for (const message of older.filter(({ role }) => role !== 'system').reverse()) {
    const cost = countMessageTokens(message)
    if (cost > remaining) break
    kept.add(message)
    remaining -= cost
  }
  return dropOrphanedAnswers(older.filter(message => kept.has(message)))
}

function dropOrphanedAnswers(messages: readonly Message[]): readonly Message[] {
  const firstQuestion = messages.findIndex(({ role }) => role === 'user')
  return messages.filter(
    ({ role }, index) => role !== 'assistant' || (firstQuestion >= 0 && index > firstQuestion),
  )
}

/** All of it if there is room; else the longest are cut until it fits. Null if nothing useful fits. */
function fitExchange(exchange: readonly Message[], roomTokens: number): readonly Message[] | null {
  if (countTokensOf(exchange) <= roomTokens) return exchange
  const shares = new Map<Message, number>()
  let remaining = roomTokens
  const byLength = [...exchange].sort((left, right) => countMessageTokens(left) - countMessageTokens(right))
  for (const [index, message] of byLength.entries()) {
    const share = Math.floor(remaining / (byLength.length - index))
    const granted = Math.min(countMessageTokens(message), share)
    shares.set(message, granted)
    remaining -= granted
  }
  const isUseful = exchange.every(message => {
    const share = shares.get(message) ?? 0
    return share >= SHORTENED_TOKENS_MIN || share === countMessageTokens(message)
  })
  return isUseful ? exchange.map(message => shorten(message, shares.get(message) ?? 0)) : null
}

/** The text first, since it says what was asked; then whichever attachments still fit. */
function shorten(message: Message, tokenCountMax: number): Message {
  if (countMessageTokens(message) <= tokenCountMax) return message
  const roomTokens = tokenCountMax - TOKENS_PER_MESSAGE
  if (typeof message.content === 'string' || message.role !== 'user') {
    return { ...message, content: cutMiddle(messageText(message), roomTokens) }
  }
  let remaining = roomTokens
  const take = (part: ContentPart) => {
    const cost = countPartTokens(part)
    if (cost > remaining) return []
    remaining -= cost
    return [part]
  }
  const words = take({ type: 'text', text: cutMiddle(messageText(message), roomTokens) })
  const attached = message.content.filter(({ type }) => type !== 'text')
  const taken = attached.flatMap(part => {
    const whole = take(part)
    return whole.length > 0 ? whole : take({ type: 'text', text: standIn(part) })
  })
  return { ...message, content: [...words, ...taken] }
}

/** Says that something is missing, so that the model does not make it up. */
function standIn(part: ContentPart): string {
  if (part.type !== 'document_url') return MISSING_PICTURE
  const { url, name = nameOfAddress(url) } = part.document_url
  return missingDocument(name)
}

function cutMiddle(text: string, tokenCountMax: number): string {
  const tokenCount = estimateTokens(text)
  if (tokenCount <= tokenCountMax) return text
  // Characters differ in tokens, so it is shortened until it fits.
  for (let share = tokenCountMax / tokenCount; share > 0.001; share *= 0.9) {
    const half = Math.floor((text.length * share) / 2)
    const cut = `${text.slice(0, half)}${MIDDLE_LEFT_OUT}${text.slice(text.length - half)}`.toWellFormed()
    if (estimateTokens(cut) <= tokenCountMax) return cut
  }
  return MIDDLE_LEFT_OUT.trim()
}
