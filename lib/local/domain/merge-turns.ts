import type { Message } from './conversation'
import {
  allMessages,
  branchesByParent,
  compareMade,
  extendedToEnd,
  parentAt,
  placedAs,
  type Turns,
} from './turns'

/**
 * Merges the turns of both copies: shown is what the first shows, plus what the second has appended to it; the second's
 * alternatives become branches. Returns the same lists if they already contain everything.
 */
export function mergeTurns(
  first: Turns,
  second: Turns,
  laterOf: (message: Message, other: Message | undefined) => Message,
): Turns {
  const others = new Map(allMessages(second).flatMap(message => (message.id ? [[message.id, message]] : [])))
  const messages = first.messages.map(message => laterOf(message, others.get(message.id ?? '')))
  const branches = (first.branches ?? []).map(message =>
    placedAs(message, laterOf(message, others.get(message.id ?? ''))),
  )
  for (const { id } of allMessages(first)) others.delete(id ?? '')
  insertShown(messages, branches, second.messages, others)
  for (const message of second.branches ?? []) if (others.has(message.id ?? '')) branches.push(message)
  return withoutChange(first, extendedToEnd(rooted({ messages, branches: branches.sort(compareMade) })))
}

/** Inserts the missing messages of a path after the messages that they follow there. */
function insertShown(
  messages: Message[],
  branches: Message[],
  path: readonly Message[],
  missing: ReadonlyMap<string, Message>,
): void {
  const unnamed = messages.filter(({ id }) => id === undefined)
  const hiddenIds = new Set(branches.map(({ id }) => id))
  let unnamedCount = 0
  let end = 0
  /** The branch that the path follows once it leaves what is shown. */
  let branchId: string | null = null
  for (const message of path) {
    const { id, parent } = message
    if (id !== undefined && missing.has(id)) {
      const isInPlaceOf = parent !== undefined && messages[end] !== undefined
      if (branchId === null && !isInPlaceOf) {
        messages.splice(end, 0, message)
        end += 1
      } else {
        branches.push({ ...message, parent: branchId ?? parentAt(messages, end) })
        branchId = id
      }
    } else if (id !== undefined && hiddenIds.has(id)) {
      branchId = id
    } else {
      const known =
        id === undefined
          ? messages.indexOf(unnamed[unnamedCount++] ?? message)
          : // Nearly always the next one.
            messages[end]?.id === id
            ? end
            : messages.findIndex(one => one.id === id)
      if (known < 0) continue
      end = known + 1
      branchId = null
    }
  }
}

/** Makes every branch reachable: one whose parent is missing, or that is part of a circle, moves to the beginning. */
function rooted({ messages, branches = [] }: Turns): Turns {
  if (branches.length === 0) return { messages }
  const reached = new Set<string | null | undefined>([null, ...messages.map(({ id }) => id)])
  const byParent = branchesByParent({ branches })
  const lost = new Set(branches)
  const reach = (from: Iterable<string | null | undefined>) => {
    const next = [...from]
    while (next.length > 0) {
      for (const message of byParent.get(next.pop() ?? null) ?? []) {
        if (lost.delete(message)) next.push(message.id)
      }
    }
  }
  reach(reached)
  const moved = new Set<Message>()
  for (const message of branches) {
    if (!lost.delete(message)) continue
    moved.add(message)
    reach([message.id])
  }
  if (moved.size === 0) return { messages, branches }
  return { messages, branches: branches.map(one => (moved.has(one) ? { ...one, parent: null } : one)) }
}

function withoutChange(before: Turns, after: Turns): Turns {
  const isSame = (left: readonly Message[] = [], right: readonly Message[] = []) =>
    left.length === right.length && left.every((message, index) => message === right[index])
  return isSame(before.messages, after.messages) && isSame(before.branches, after.branches) ? before : after
}
