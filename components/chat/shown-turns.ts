import type { Conversation, Message } from '@/lib/local/domain/conversation'
import { summariesOf, variantsOf } from '@/lib/local/domain/turns'
import { type Whole, wholeMessages } from '@/lib/local/domain/whole-answers'
import type { ChatModel } from './chat-model'

/** What is drawn of a turn, but for what can be done with it. */
export interface ShownTurn {
  readonly key: string
  readonly message: Message
  /** What it is kept as, where it was carried on. */
  readonly parts: readonly Message[] | undefined
  /** Where the first of them stands in the list. */
  readonly startIndex: number
  /** Null for the first of the conversation. */
  readonly previous: Message | null
  /** All that stand in its place; null where there is no other. */
  readonly versions: readonly string[] | null
  readonly modelName: string | null
  /** Dollars for a token of an answer; null when it is not known. */
  readonly outputPrice: string | null
  /** Of all that stands above; null where there is none. */
  readonly summary: Message | null
}

/** Laid out together or not at all; so many turns fill about two screens. */
export const GROUP_TURN_COUNT = 6

/**
 * The turns of a conversation, a group at a time. Each turn and each group is the same object as long as nothing
 * of it changes: what is drawn of a thousand is then drawn anew of a few.
 */
export function shownTurns(conversation: Conversation, models: readonly ChatModel[]): readonly ShownTurn[][] {
  const { messages } = conversation
  const variants = variantsOf(conversation)
  const summaries = summariesOf(conversation)
  const modelsById = new Map(models.map(model => [model.id, model]))
  const nameOf = (id: string | undefined) => modelsById.get(id ?? '')?.name ?? id ?? null
  const turns = wholeMessages(messages).map((whole, index) => {
    const { message, parts, startIndex } = whole
    const previous = messages[startIndex - 1] ?? null
    const makers = new Set(parts.map(part => nameOf(part.model)))
    return sameTurn({
      // Messages of other products carry no id; their place in the list serves.
      key: message.id ?? `message-${index}`,
      message,
      parts: parts.length > 1 ? parts : undefined,
      startIndex,
      previous,
      versions: versionsOf(whole, variants),
      modelName: [...makers].filter(Boolean).join(', ') || null,
      outputPrice: modelsById.get(message.model ?? '')?.prices.completion ?? null,
      summary: summaries.get(previous?.id ?? '') ?? null,
    })
  })
  const groupCount = Math.ceil(turns.length / GROUP_TURN_COUNT)
  return Array.from({ length: groupCount }, (_, index) =>
    sameGroup(turns.slice(index * GROUP_TURN_COUNT, (index + 1) * GROUP_TURN_COUNT)),
  )
}

function versionsOf({ parts }: Whole, variants: ReadonlyMap<string, readonly string[]>) {
  return parts.map(({ id }) => variants.get(id ?? '') ?? []).find(ids => ids.length > 0) ?? null
}

const knownTurns = new WeakMap<Message, ShownTurn>()

function sameTurn(turn: ShownTurn): ShownTurn {
  const known = knownTurns.get(turn.message)
  if (known && isSameTurn(known, turn)) return known
  knownTurns.set(turn.message, turn)
  return turn
}

/** Asked of a thousand at a time: nothing is made for it. */
function isSameTurn<Turn extends ShownTurn>(known: Turn, turn: Turn): boolean {
  for (const name in turn) if (name !== 'versions' && known[name] !== turn[name]) return false
  return isSameList(known.versions, turn.versions)
}

/** By their first turn. */
const knownGroups = new WeakMap<ShownTurn, ShownTurn[]>()

function sameGroup(group: ShownTurn[]): ShownTurn[] {
  const [first] = group
  const known = first && knownGroups.get(first)
  if (known && isSameList(known, group)) return known
  if (first) knownGroups.set(first, group)
  return group
}

function isSameList(left: readonly unknown[] | null, right: readonly unknown[] | null): boolean {
  if (left === null || right === null) return left === right
  return left.length === right.length && left.every((item, index) => item === right[index])
}
