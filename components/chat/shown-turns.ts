import type { Conversation, Message } from '@/lib/local/domain/conversation'
import { summariesOf, variantsOf } from '@/lib/local/domain/turns'
import { type Whole, wholeMessages } from '@/lib/local/domain/whole-answers'
import type { ChatModel } from './chat-model'

/** The data that a turn is rendered from, without its actions. */
export interface ShownTurn {
  readonly key: string
  readonly message: Message
  /** The stored messages that make up the turn, if it was continued. */
  readonly parts: readonly Message[] | undefined
  /** The index of the first of them in the list of messages. */
  readonly startIndex: number
  /** Null for the first turn of the conversation. */
  readonly previous: Message | null
  /** All versions of the turn; null if there is only one. */
  readonly versions: readonly string[] | null
  readonly modelName: string | null
  /** Dollars per output token; null if unknown. */
  readonly outputPrice: string | null
  /** The summary of all turns above; null if there is none. */
  readonly summary: Message | null
}

/** Turns that are laid out together; this many fill about two screens. */
export const GROUP_TURN_COUNT = 6

/**
 * The turns of a conversation, in groups. A turn or group is the same object as long as nothing in it changes, so that
 * of a thousand turns only few are rendered again.
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
      // Imported messages have no id; their position serves as key.
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

/** Called for a thousand turns at a time, so it allocates nothing. */
function isSameTurn<Turn extends ShownTurn>(known: Turn, turn: Turn): boolean {
  for (const name in turn) if (name !== 'versions' && known[name] !== turn[name]) return false
  return isSameList(known.versions, turn.versions)
}

/** Keyed by their first turn. */
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
