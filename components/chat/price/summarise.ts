import { ensureCredit } from '@/components/credit/ensure-credit'
import type { Shortage } from '@/lib/exchange/client/browser-exchanges'
import { NOTHING_SAID } from '@/lib/exchange/client/context-window'
import { estimateMessage, mostOfMessage } from '@/lib/exchange/client/estimate-message'
import {
  answerTokenCountMax,
  estimateOutgoing,
  likelyAnswerTokenCount,
  outgoingContext,
} from '@/lib/exchange/client/outgoing'
import { summaryContext } from '@/lib/exchange/client/summary-context'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import type { Conversation, Message } from '@/lib/local/domain/conversation'
import type { AnswerParameters } from '@/lib/local/domain/steering'
import { withMessageIds, withTurns } from '@/lib/local/domain/turns'
import type { Nano } from '@/lib/money/nano'
import { askModel, createAnswer } from '../ask-question'
import { type ChatModel, isFree } from '../chat-model'

/** Fewer messages are not worth a summary. */
const SUMMARISED_COUNT_MIN = 4
/** As many as a person would look through. */
const OFFERED_COUNT_MAX = 8
/** The lowest effort is requested, since a summary needs no reasoning. */
const LEAST_EFFORTS = ['none', 'minimal', 'low'] as const

interface OfferedModel {
  readonly model: ChatModel
  readonly price: Nano
  /** The promised maximum price. */
  readonly most: Nano
}

export interface SummaryPlan {
  /** The last message that it covers. */
  readonly afterId: string
  readonly count: number
  /** Cheapest first. */
  readonly offers: readonly OfferedModel[]
  /** What it saves on each further turn; zero or less if it saves nothing. */
  readonly saved: Nano
}

/** The cost and the savings of a summary of everything before the last exchange; null if there is nothing to gain. */
export function planSummary(
  model: ChatModel,
  { id, created_at, ...conversation }: Conversation,
  models: readonly ChatModel[],
): SummaryPlan | null {
  const known = withMessageIds({ ...conversation, id, created_at })
  const answerIndex = known.messages.findLastIndex(({ role }) => role === 'assistant')
  const index = known.messages.slice(0, answerIndex).findLastIndex(({ role }) => role === 'user')
  const before = known.messages.slice(0, Math.max(0, index))
  const afterId = before.at(-1)?.id
  const whole = summaryContext(before, known.branches, null)
  const count = whole.earlierCount
  if (afterId === undefined || count < SUMMARISED_COUNT_MIN) return null
  const offers = models
    .flatMap(one => offerOf(one, before, known, whole.messages.length) ?? [])
    .sort((left, right) => Number(left.price - right.price))
  const paid = offers.filter(offer => !isFree(offer.model))
  const priceWith = (branches: Message[] | undefined): Nano => {
    const steered = { ...known, branches }
    const context = outgoingContext(
      [...known.messages, { role: 'user', content: '' }],
      steered,
      model.windowTokens,
    )
    return estimateOutgoing(model, context, known) ?? 0n
  }
  const likely: Message = {
    role: 'assistant',
    content: 'word '.repeat(likelyAnswerTokenCount({ ...model.controls, efforts: [] }, NOTHING_SAID, null)),
    parent: afterId,
    summarises: true,
    status: 'completed',
  }
  const saved = priceWith(known.branches) - priceWith([...(known.branches ?? []), likely])
  const shown = (paid.length > 0 ? paid : offers).slice(0, OFFERED_COUNT_MAX)
  return shown.length === 0 ? null : { afterId, count, offers: shown, saved }
}

function offerOf(
  model: ChatModel,
  before: readonly Message[],
  { branches }: Conversation,
  wholeCount: number,
): OfferedModel | null {
  const context = summaryContext(before, branches, model.windowTokens)
  if (context.messages.length < wholeCount) return null
  const wanted = parametersFor(model)
  const length = likelyAnswerTokenCount(model.controls, NOTHING_SAID, wanted)
  const price = estimateMessage(model, context.messages, length)
  const most = mostOfMessage(model, context.messages, wanted.max_tokens)
  return price === null || most === null ? null : { model, price, most }
}

/** Allows the length of an everyday answer, whatever the conversation's own settings are. */
function parametersFor({ controls }: ChatModel): AnswerParameters & { max_tokens: number } {
  const effort = LEAST_EFFORTS.find(one => controls.efforts.includes(one))
  const thinking = effort === undefined ? {} : { reasoning_effort: effort }
  return { ...thinking, max_tokens: answerTokenCountMax(controls, NOTHING_SAID, thinking) }
}

/**
 * Has the model summarise the conversation up to that message, in an exchange like any other that belongs to no turn.
 */
export async function summarise(
  conversationId: string,
  afterId: string,
  model: ChatModel,
  mostAccepted: Nano | null,
): Promise<Shortage | null> {
  await ensureCredit()
  const current = conversationStore.get(conversationId)
  if (!current) return null
  const known = withMessageIds(current)
  const plain = { ...model, takesFiles: false, takesPictures: false }
  const summary: Message = {
    ...createAnswer(parametersFor(model), plain, new Date().toISOString()),
    parent: afterId,
    summarises: true,
  }
  const { messages, branches = [] } = known
  const next = withTurns(known, { messages, branches: [...branches, summary] })
  conversationStore.saveConversation(next)
  return askModel(next, { question: null, answer: summary, model, mostAccepted })
}
