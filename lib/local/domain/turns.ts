import type { Conversation, Message } from './conversation'

/**
 * A conversation as a tree. The turns that are shown stand in `messages`, one after the other, as every reader
 * of the specified shape knows them; there the order says what follows what. All others stand in `branches`,
 * each with its `parent`. A conversation that was never branched has no `branches`: what older versions
 * wrote is a tree already, and what a tree shows can be read by them.
 */
export type Turns = Pick<Conversation, 'messages' | 'branches' | 'seen_ends'>

/** So many ways through a conversation are remembered; no more is looked at when a version is chosen. */
export const SEEN_ENDS_COUNT_MAX = 100

/** The shown ones first. */
export function allMessages({ messages, branches = [] }: Turns): readonly Message[] {
  return branches.length === 0 ? messages : [...messages, ...branches]
}

export function findTurn(turns: Turns, id: string): Message | null {
  const isIt = (message: Message) => message.id === id
  return turns.messages.find(isIt) ?? turns.branches?.find(isIt) ?? null
}

/** Everything up to this message, itself included, on whichever branch it stands; empty when it is not there. */
export function pathTo(turns: Turns, id: string): Message[] {
  const index = turns.messages.findIndex(message => message.id === id)
  if (index >= 0) return turns.messages.slice(0, index + 1)
  const branches = new Map(turns.branches?.map(message => [message.id, message]))
  const path: Message[] = []
  let at: string | null = id
  while (at !== null) {
    const message = branches.get(at)
    if (!message) {
      const shownEnd = turns.messages.findIndex(one => one.id === at)
      return path.length === 0 ? [] : [...turns.messages.slice(0, shownEnd + 1), ...path]
    }
    // Each is gone through once, so that damaged data cannot lead in a circle.
    branches.delete(at)
    path.unshift(message)
    at = message.parent ?? null
  }
  return path
}

export function replaceMessage(conversation: Conversation, message: Message): Conversation {
  const replace = (one: Message): Message => (one.id === message.id ? placedAs(one, message) : one)
  return withTurns(conversation, {
    messages: conversation.messages.map(replace),
    branches: conversation.branches?.map(replace),
  })
}

/** Takes single messages out. What followed one of them follows what that one followed. */
export function removeMessages(conversation: Conversation, messageIds: readonly string[]): Conversation {
  const isGone = ({ id }: Message): boolean => id !== undefined && messageIds.includes(id)
  const parents = new Map(
    [...withParents(conversation.messages), ...(conversation.branches ?? [])]
      .filter(isGone)
      .map(({ id, parent = null }) => [id, parent]),
  )
  if (parents.size === 0) return conversation
  const leftParent = (of: string | null): string | null => {
    let parent = of
    // No further than there are messages to go through, so that damaged data cannot lead in a circle.
    for (let step = 0; step < parents.size && parent !== null; step += 1) {
      const above = parents.get(parent)
      if (above === undefined) break
      parent = above
    }
    return parent
  }
  const moved = (message: Message): Message => {
    const parent = message.parent && leftParent(message.parent)
    return parent === message.parent ? message : { ...message, parent }
  }
  const messages = conversation.messages.filter(message => !isGone(message)).map(moved)
  const branches = conversation.branches?.filter(message => !isGone(message)).map(moved)
  return withTurns(conversation, onToItsEnd({ ...conversation, messages, branches }))
}

/** For every shown message that has others in its place: all of them, itself included, in the order of their making. */
export function variantsOf(turns: Turns): ReadonlyMap<string, readonly string[]> {
  const variants = new Map<string, readonly string[]>()
  const byParent = branchesByParent({ branches: turnsAmong(turns.branches) })
  turns.messages.forEach((message, index) => {
    const others = byParent.get(parentAt(turns.messages, index))
    if (!others || message.id === undefined) return
    const ids = [message, ...others].sort(compareMade).flatMap(({ id }) => id ?? [])
    variants.set(message.id, ids)
  })
  return variants
}

/** Shows the branch on which this message stands, on to the end of what was shown last behind it. */
export function showTurn(conversation: Conversation, id: string): Conversation {
  const path = pathTo(conversation, id)
  if (path.length === 0) return conversation
  // Behind a message that is shown already, the rest is the one that is shown.
  const index = conversation.messages.findIndex(message => message.id === id)
  const rest = index >= 0 ? conversation.messages.slice(index + 1) : lastSeenBehind(conversation, id)
  return withTurns(conversation, arrange(conversation, [...path, ...rest]))
}

/**
 * Puts new messages behind that one, and shows them; null: at the beginning. What stood in their place is
 * kept beside them.
 */
export function addTurns(
  conversation: Conversation,
  afterId: string | null,
  added: readonly Message[],
): Conversation {
  const path = afterId === null ? [] : pathTo(conversation, afterId)
  const hasOthers =
    path.length < conversation.messages.length ||
    turnsAmong(conversation.branches).some(({ parent = null }) => parent === afterId)
  const [first, ...rest] = added
  if (!first) return conversation
  // It says so itself that it stands in another's place: in another tab the other one may still be shown.
  const named = hasOthers ? { ...first, parent: afterId } : first
  return withTurns(conversation, arrange(conversation, [...path, named, ...rest]))
}

/** What was taken out, so that it can be put back where it stood. */
export interface RemovedTurns {
  /** The last of them that was shown; else the one that was asked for. */
  readonly endId: string
  readonly messages: readonly Message[]
}

/** Takes a message out, with all that follows it on any branch; another one in its place is shown, if there is one. */
export function removeTurn(
  conversation: Conversation,
  id: string,
): { conversation: Conversation; removed: RemovedTurns } {
  const gone = new Set([id])
  const index = conversation.messages.findIndex(message => message.id === id)
  const shown = index < 0 ? conversation.messages : conversation.messages.slice(0, index)
  const hidden = index < 0 ? [] : withParents(conversation.messages).slice(index)
  for (const message of hidden) gone.add(message.id ?? '')
  // Parents were written before their children, but not every clock is right.
  const branches = conversation.branches ?? []
  for (let size = 0; size < gone.size; ) {
    size = gone.size
    for (const { id: branchId, parent } of branches) {
      if (parent && gone.has(parent) && branchId !== undefined) gone.add(branchId)
    }
  }
  const isGone = (message: Message) => gone.has(message.id ?? '')
  const remaining = branches.filter(message => !isGone(message))
  const left = onToItsEnd({ ...conversation, messages: shown, branches: remaining })
  const removed = { endId: hidden.at(-1)?.id ?? id, messages: [...hidden, ...branches.filter(isGone)] }
  return { conversation: withTurns(conversation, left), removed }
}

/** Undoes a removal. */
export function restoreTurns(conversation: Conversation, removed: RemovedTurns): Conversation {
  const known = new Set(allMessages(conversation).map(({ id }) => id))
  const missing = removed.messages.filter(({ id }) => !known.has(id))
  if (missing.length === 0) return conversation
  const branches = [...(conversation.branches ?? []), ...missing]
  return showTurn(withTurns(conversation, { messages: conversation.messages, branches }), removed.endId)
}

/** Messages of other products have no ids. Before one is to have another beside it, each gets one, the same in every tab. */
export function withMessageIds(conversation: Conversation): Conversation {
  if (conversation.messages.every(({ id }) => id !== undefined)) return conversation
  const messages = conversation.messages.map((message, index) =>
    message.id === undefined ? { ...message, id: `${conversation.id}-${index}` } : message,
  )
  return { ...conversation, messages }
}

/** Another version of a message, in the place where it stands. */
export function placedAs({ parent }: Message, version: Message): Message {
  return version.parent === parent ? version : { ...version, parent }
}

/** Summaries stand among the branches, and are no turns. */
function turnsAmong(branches: readonly Message[] = []): Message[] {
  return branches.filter(({ summarises }) => summarises !== true)
}

/** What says in short all that is shown up to a message, by the message's id; the last that was made counts. */
export function summariesOf({ messages, branches = [] }: Turns): ReadonlyMap<string, Message> {
  const shownIds = new Set(messages.map(({ id }) => id))
  return new Map(
    branches.flatMap(branch =>
      branch.summarises && branch.parent && shownIds.has(branch.parent) ? [[branch.parent, branch]] : [],
    ),
  )
}

export function branchesByParent({ branches = [] }: Pick<Turns, 'branches'>): Map<string | null, Message[]> {
  const byParent = new Map<string | null, Message[]>()
  for (const message of branches) {
    const { parent = null } = message
    byParent.set(parent, [...(byParent.get(parent) ?? []), message])
  }
  return byParent
}

/** Parent of whatever stands at that place of a path; null at its beginning. */
export function parentAt(path: readonly Message[], index: number): string | null {
  return path[index - 1]?.id ?? null
}

function withParents(path: readonly Message[]): Message[] {
  return path.map((message, index) => {
    const parent = parentAt(path, index)
    return message.parent === parent ? message : { ...message, parent }
  })
}

/** By the time of their making, and otherwise by any rule that every tab follows. */
export function compareMade(left: Message, right: Message): number {
  const [leftKey, rightKey] = [left, right].map(({ created_at = '', id = '' }) => `${created_at} ${id}`)
  return leftKey === rightKey ? 0 : (leftKey ?? '') < (rightKey ?? '') ? -1 : 1
}

/** What was shown last behind a message that is hidden, or at whose end nothing is shown. */
function lastSeenBehind(turns: Turns, id: string | null): Message[] {
  for (const endId of (turns.seen_ends ?? []).toReversed()) {
    const path = pathTo(turns, endId)
    const index = path.findIndex(message => message.id === id)
    if (index < 0 && (id !== null || path.length === 0)) continue
    // Another tab may have gone on from there.
    return [...path.slice(index + 1), ...newestBehind(turns, endId)]
  }
  return newestBehind(turns, id)
}

/** At each fork the newest from which one gets to more than an answer that failed or was stopped; else the newest. */
function newestBehind(turns: Turns, id: string | null): Message[] {
  const hidden = turnsAmong(turns.branches).sort(compareMade)
  const byParent = branchesByParent({ branches: hidden })
  const leadingOn = idsLeadingOn(hidden, byParent)
  const path: Message[] = []
  for (let at: string | null | undefined = id; at !== undefined; at = path.at(-1)?.id) {
    const versions = byParent.get(at) ?? []
    byParent.delete(at)
    const next = versions.findLast(version => leadingOn.has(version.id)) ?? versions.at(-1)
    if (!next) break
    path.push(next)
  }
  return path
}

/** All that stands on the way to an end at which one can go on. */
function idsLeadingOn(
  branches: readonly Message[],
  byParent: ReadonlyMap<string | null, readonly Message[]>,
): ReadonlySet<string | null | undefined> {
  const parents = new Map(branches.map(({ id, parent }) => [id, parent]))
  const ids = new Set<string | null | undefined>()
  for (const { id, status } of branches) {
    if (byParent.has(id ?? null) || status === 'failed' || status === 'stopped') continue
    for (let at: string | null | undefined = id; at && !ids.has(at); at = parents.get(at)) ids.add(at)
  }
  return ids
}

/** A path is shown to its end: what stands behind its last message is not left hidden. */
export function onToItsEnd(turns: Turns): Turns {
  const rest = lastSeenBehind(turns, turns.messages.at(-1)?.id ?? null)
  return rest.length === 0 ? turns : arrange(turns, [...turns.messages, ...rest])
}

/** Shows this path; every other message is kept as a branch of the one that it followed. */
function arrange(turns: Turns, path: readonly Message[]): Turns {
  const shownIds = new Set(path.map(({ id }) => id))
  const hidden = withParents(turns.messages).filter(({ id }) => !shownIds.has(id))
  const branches = [...(turns.branches ?? []).filter(({ id }) => !shownIds.has(id)), ...hidden]
  const left = hidden.at(-1)?.id
  const seen = [...(turns.seen_ends ?? []).filter(id => id !== left), ...(left === undefined ? [] : [left])]
  const hiddenIds = new Set(branches.map(({ id }) => id))
  return {
    messages: [...path],
    branches: branches.sort(compareMade),
    seen_ends: seen.filter(id => hiddenIds.has(id)).slice(-SEEN_ENDS_COUNT_MAX),
  }
}

/** Where the turns do not say what was seen, that stays as it was. */
export function withTurns(before: Conversation, turns: Turns): Conversation {
  const { branches: _, seen_ends: seenBefore, ...conversation } = before
  const { messages, branches = [], seen_ends = seenBefore ?? [] } = turns
  return {
    ...conversation,
    messages,
    ...(branches.length > 0 && { branches }),
    ...(seen_ends.length > 0 && { seen_ends }),
  }
}
