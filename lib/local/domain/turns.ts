import type { Conversation, Message } from './conversation'

/**
 * A conversation as a tree. The turns that are shown are in `messages`, in order, as every reader of the specified
 * shape expects; there the order determines what follows what. All others are in `branches`, each with its `parent`. A
 * conversation that was never branched has no `branches`, so that what older versions wrote is already a tree, and they
 * can read what a tree shows.
 */
export type Turns = Pick<Conversation, 'messages' | 'branches' | 'seen_ends'>

/** How many ways through a conversation are remembered, and therefore considered when a version is chosen. */
export const SEEN_ENDS_COUNT_MAX = 100

/** The shown ones first. */
export function allMessages({ messages, branches = [] }: Turns): readonly Message[] {
  return branches.length === 0 ? messages : [...messages, ...branches]
}

export function findTurn(turns: Turns, id: string): Message | null {
  const isIt = (message: Message) => message.id === id
  return turns.messages.find(isIt) ?? turns.branches?.find(isIt) ?? null
}

/** Everything up to this message, itself included, on whichever branch it is; empty if it does not exist. */
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
    // Each is visited only once, so that damaged data cannot cause an endless loop.
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

/** Removes single messages. Whatever followed one of them then follows its parent. */
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
    // No more steps than there are messages, so that damaged data cannot cause an endless loop.
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
  return withTurns(conversation, extendedToEnd({ ...conversation, messages, branches }))
}

/** For every shown message with alternatives: all of them, itself included, in the order of their creation. */
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

/** Shows the branch with this message, up to the end that was last shown after it. */
export function showTurn(conversation: Conversation, id: string): Conversation {
  const path = pathTo(conversation, id)
  if (path.length === 0) return conversation
  // If the message is already shown, what follows it stays.
  const index = conversation.messages.findIndex(message => message.id === id)
  const rest = index >= 0 ? conversation.messages.slice(index + 1) : lastSeenBehind(conversation, id)
  return withTurns(conversation, arrange(conversation, [...path, ...rest]))
}

/**
 * Adds new messages after that one, or at the beginning if it is null, and shows them. What was in their place stays as
 * a branch.
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
  // It names its own parent, because another tab may still show the alternative.
  const named = hasOthers ? { ...first, parent: afterId } : first
  return withTurns(conversation, arrange(conversation, [...path, named, ...rest]))
}

/** Removed messages, so that they can be restored to their place. */
export interface RemovedTurns {
  /** The last of them that was shown; otherwise the one that was removed. */
  readonly endId: string
  readonly messages: readonly Message[]
}

/** Removes a message and everything after it on any branch; an alternative is shown in its place, if there is one. */
export function removeTurn(
  conversation: Conversation,
  id: string,
): { conversation: Conversation; removed: RemovedTurns } {
  const gone = new Set([id])
  const index = conversation.messages.findIndex(message => message.id === id)
  const shown = index < 0 ? conversation.messages : conversation.messages.slice(0, index)
  const hidden = index < 0 ? [] : withParents(conversation.messages).slice(index)
  for (const message of hidden) gone.add(message.id ?? '')
  const branches = conversation.branches ?? []
  const byParent = branchesByParent({ branches })
  // Including those that are added meanwhile.
  for (const goneId of gone) for (const branch of byParent.get(goneId) ?? []) gone.add(branch.id ?? '')
  const isGone = (message: Message) => gone.has(message.id ?? '')
  const remaining = branches.filter(message => !isGone(message))
  const left = extendedToEnd({ ...conversation, messages: shown, branches: remaining })
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

/**
 * Messages of other products have no ids. Before one gets an alternative, each is given an id that is the same in every
 * tab.
 */
export function withMessageIds(conversation: Conversation): Conversation {
  if (conversation.messages.every(({ id }) => id !== undefined)) return conversation
  const messages = conversation.messages.map((message, index) =>
    message.id === undefined ? { ...message, id: `${conversation.id}-${index}` } : message,
  )
  return { ...conversation, messages }
}

/** Another version of a message, in the same place. */
export function placedAs({ parent }: Message, version: Message): Message {
  return version.parent === parent ? version : { ...version, parent }
}

/** Summaries are among the branches, but are not turns. */
function turnsAmong(branches: readonly Message[] = []): Message[] {
  return branches.filter(({ summarises }) => summarises !== true)
}

/** The summaries of what is shown up to a message, by the message's id; the latest counts. */
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
    const known = byParent.get(parent)
    if (known) known.push(message)
    else byParent.set(parent, [message])
  }
  return byParent
}

/** The parent of whatever is at that place of a path; null at its beginning. */
export function parentAt(path: readonly Message[], index: number): string | null {
  return path[index - 1]?.id ?? null
}

function withParents(path: readonly Message[]): Message[] {
  return path.map((message, index) => {
    const parent = parentAt(path, index)
    return message.parent === parent ? message : { ...message, parent }
  })
}

/** By time of creation, and otherwise by any rule that all tabs share. */
export function compareMade(left: Message, right: Message): number {
  const [leftKey, rightKey] = [left, right].map(({ created_at = '', id = '' }) => `${created_at} ${id}`)
  return leftKey === rightKey ? 0 : (leftKey ?? '') < (rightKey ?? '') ? -1 : 1
}

/** What was last shown after a message that is hidden, or at which the shown path ends. */
function lastSeenBehind(turns: Turns, id: string | null): Message[] {
  for (const endId of (turns.seen_ends ?? []).toReversed()) {
    const path = pathTo(turns, endId)
    const index = path.findIndex(message => message.id === id)
    if (index < 0 && (id !== null || path.length === 0)) continue
    // Another tab may have continued from there.
    return [...path.slice(index + 1), ...newestBehind(turns, endId)]
  }
  return newestBehind(turns, id)
}

/** At each fork, the newest message that leads to more than a failed or stopped answer; otherwise the newest. */
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

/** All messages that lead to an end from which the conversation can continue. */
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

/** Extends the shown path to an end, so that nothing after its last message stays hidden. */
export function extendedToEnd(turns: Turns): Turns {
  const rest = lastSeenBehind(turns, turns.messages.at(-1)?.id ?? null)
  return rest.length === 0 ? turns : arrange(turns, [...turns.messages, ...rest])
}

/** Shows this path; all other messages become branches of the messages that they followed. */
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

/** If the turns contain no seen ends, the earlier ones are kept. */
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
