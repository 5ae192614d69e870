import type { Conversation } from '../domain/conversation'
import { allMessages } from '../domain/turns'
import { createListeners } from '../storage/external-store'
import type { GuardedStorage } from '../storage/guarded-storage'
import { isSameJson } from '../storage/json'
import {
  CONVERSATION_HISTORY_KEY,
  REMOVED_CONVERSATIONS_KEY,
  SELECTED_CONVERSATION_KEY,
} from '../storage/storage-keys'
import { applyEdit } from './apply-edit'
import { compareNewestFirst, lastChangeMs } from './conversation-time'
import { conversationsIn, createHistoryFile } from './history-file'
import { mergeConversations } from './merge-conversations'
import { mergeRemovals, readRemovals, removalOfMessage, writeRemovals } from './removals'
import { createSelectedFile } from './selected-file'

export interface RepositoryOptions {
  storage: GuardedStorage
  now: () => Date
  /** Runs the task soon, while no other tab runs one. The task returns false if there was no room. */
  runExclusively: (task: () => boolean) => void
  /** Receives a conversation for which local storage had no room. */
  onOverflow: (conversation: Conversation) => void
}

export type ConversationRepository = ReturnType<typeof createConversationRepository>

/**
 * The conversations as this tab knows them, and their two files. Every write reads first and merges what another tab
 * has written meanwhile. Another tab can still write between that read and the write, so afterwards, and whenever
 * another tab has written, each tab checks again under a lock and restores what only it still has.
 */
export function createConversationRepository(options: RepositoryOptions) {
  const { storage, now } = options
  const { subscribe, notify } = createListeners()
  const history = createHistoryFile(storage)
  const selected = createSelectedFile(storage)
  let known: Map<string, Conversation> | null = null
  let removedHere = new Map<string, number>()
  /** What this tab removed it may also restore: a question that could not be asked again. */
  const messagesRemovedHere = new Map<string, number>()
  /** Messages that arrived without a newer time of their conversation, which an older state may therefore lack. */
  const cameIn = new Map<string, { since: string | undefined; ids: Set<string> }>()
  /** What this tab knew when another one deleted everything. */
  const clearedIds = new Set<string>()
  let snapshot: readonly Conversation[] = []
  /** Set by a write that found no room, so that a review does not open the warning again. */
  let isFull = false
  let isReviewDue = false
  /** Those whose latest state is only in the selected copy; a review updates the list, which may be megabytes. */
  const unlistedIds = new Set<string>()
  let ownCopy: Conversation | null = null

  function load(): Map<string, Conversation> {
    if (known === null) {
      known = new Map()
      absorb()
    }
    return known
  }

  /** Merges what is stored and what is passed in; writes nothing. */
  function absorb(extra: readonly Conversation[] = []): void {
    const copy = selected.read()
    const sources = [[...(known?.values() ?? [])], history.read(), copy ? [copy] : [], extra]
    adopt(mergeConversations(sources, readAllRemovals()))
  }

  function adopt(next: Map<string, Conversation>): void {
    for (const [id, conversation] of next) noteCameIn(known?.get(id), conversation)
    known = next
    const sorted = [...next.values()].sort(compareNewestFirst)
    const isUnchanged =
      sorted.length === snapshot.length && sorted.every((item, index) => item === snapshot[index])
    if (isUnchanged) return
    snapshot = sorted
    notify()
  }

  function noteCameIn(before: Conversation | undefined, after: Conversation): void {
    if (!before || before === after || before.updated_at !== after.updated_at) return
    const knownIds = new Set(allMessages(before).map(message => message.id))
    const ids = allMessages(after).flatMap(({ id }) => (id === undefined || knownIds.has(id) ? [] : [id]))
    cameIn.set(after.id, { since: after.updated_at, ids: new Set([...cameInSince(after), ...ids]) })
  }

  function cameInSince({ id, updated_at }: Conversation): ReadonlySet<string> {
    const noted = cameIn.get(id)
    return noted && noted.since === updated_at ? noted.ids : new Set()
  }

  /** Writes the merged list, unless it already contains everything. */
  function persistHistory(): boolean {
    absorb()
    const stored = history.read()
    const isComplete =
      stored.length === load().size && stored.every(item => isSameJson(load().get(item.id), item))
    isFull = !(isComplete || history.write(snapshot))
    return !isFull
  }

  function persistSelected(id: string): boolean {
    const copy = selected.read()
    // The copy that this tab wrote itself contains nothing new, so that a streaming answer need not read the list.
    if (copy === null || copy !== ownCopy) absorb()
    // The copy of another conversation may be the only place with the end of its answer.
    if (copy && copy.id !== id && !isInHistory(copy)) persistHistory()
    const conversation = load().get(id)
    isFull = conversation !== undefined && !selected.write(conversation)
    ownCopy = isFull ? null : (conversation ?? null)
    return !isFull
  }

  function isInHistory(conversation: Conversation): boolean {
    return history
      .read()
      .some(item => item.id === conversation.id && lastChangeMs(item) >= lastChangeMs(conversation))
  }

  function put(edited: Conversation, base?: Conversation): Conversation {
    const { id } = edited
    const removals = readAllRemovals()
    const before = load().get(id) ?? null
    const { conversation, removedMessageIds } = applyEdit({
      edited,
      known: before,
      cameIn: before === base ? new Set() : cameInSince(before ?? edited),
      removedBy(messageId) {
        const removal = removalOfMessage(id, messageId)
        if (!removals.has(removal)) return null
        return messagesRemovedHere.has(removal) ? 'this tab' : 'another tab'
      },
      now: now(),
    })
    for (const messageId of removedMessageIds) {
      messagesRemovedHere.set(removalOfMessage(id, messageId), lastChangeMs(conversation))
    }
    adopt(new Map(load()).set(id, conversation))
    return conversation
  }

  const readAllRemovals = () =>
    [removedHere, messagesRemovedHere].reduce(mergeRemovals, readRemovals(storage))

  function finishWrite(conversation: Conversation, isWritten: boolean): boolean {
    if (!isWritten) options.onOverflow(conversation)
    requestReview()
    return isWritten
  }

  function requestReview(): void {
    if (isReviewDue) return
    isReviewDue = true
    options.runExclusively(review)
  }

  function review(): boolean {
    isReviewDue = false
    absorb()
    const copy = selected.read()
    const stored = new Map(history.read().map(item => [item.id, item]))
    const isMissing = snapshot.some(item => !isSameJson(stored.get(item.id), item) && !isSameJson(copy, item))
    const isStale = [...stored.keys()].some(id => !load().has(id))
    if ((isMissing || isStale) && !isFull) persistHistory()
    if (unlistedIds.size > 0) listSelected()
    const isRemembered = rememberRemovals()
    // From now on another tab may restore a conversation, through an import.
    if (isRemembered) removedHere = new Map()
    return isRemembered && !isFull
  }

  function listSelected(): boolean {
    const unlisted = [...unlistedIds].flatMap(id => load().get(id) ?? [])
    unlistedIds.clear()
    const isWritten = persistHistory()
    if (!isWritten) for (const conversation of unlisted) options.onOverflow(conversation)
    return isWritten
  }

  function rememberRemovals(): boolean {
    const stored = readRemovals(storage)
    const removals = readAllRemovals()
    const isKnown = [...removals].every(([id, removedMs]) => stored.get(id) === removedMs)
    return isKnown || writeRemovals(storage, removals)
  }

  function onOtherTab(key: string | null, text: string | null): void {
    if (known === null) return
    if (key === null) {
      removedHere = new Map()
      for (const id of known.keys()) clearedIds.add(id)
      adopt(new Map())
      return
    }
    if (![CONVERSATION_HISTORY_KEY, SELECTED_CONVERSATION_KEY, REMOVED_CONVERSATIONS_KEY].includes(key))
      return
    // A tab that did not know of it may already have overwritten it, and the tab that wrote it may be gone.
    const isOverwritten = text !== null && text !== storage.read(key)
    absorb(isOverwritten && key !== REMOVED_CONVERSATIONS_KEY ? conversationsIn(text) : [])
    requestReview()
  }

  return {
    subscribe,
    snapshot(): readonly Conversation[] {
      load()
      return snapshot
    },
    get: (id: string): Conversation | null => load().get(id) ?? null,

    isRemoved(id: string, messageId: string): boolean {
      const removals = readAllRemovals()
      const isGone = !load().has(id) && (clearedIds.has(id) || removals.has(id))
      return isGone || removals.has(removalOfMessage(id, messageId))
    },

    /** @param base what the conversation was derived from, if known: then all of its messages are accounted for */
    save(conversation: Conversation, isSelected: boolean, base?: Conversation): boolean {
      const stamped = put(conversation, base)
      if (messagesRemovedHere.size > 0) rememberRemovals()
      if (!isSelected) return finishWrite(stamped, persistHistory())
      const isCopied = persistSelected(stamped.id)
      if (isCopied) unlistedIds.add(stamped.id)
      else persistHistory()
      return finishWrite(stamped, isCopied)
    },

    /** For an answer that is still streaming: cheap if its conversation is the selected one. */
    saveDraft(conversation: Conversation, isSelected: boolean): boolean {
      const removedMs = readAllRemovals().get(conversation.id)
      // Deleted, here or in another tab, while its answer came in: that was intended.
      if (removedMs !== undefined && !load().has(conversation.id)) return true
      const stamped = put(conversation)
      // The warning was opened, and perhaps closed: it must not reappear with every piece of an answer.
      if (isFull) return finishWrite(stamped, false)
      return finishWrite(stamped, isSelected ? persistSelected(stamped.id) : persistHistory())
    },

    remove(ids: readonly string[]): boolean {
      const next = new Map(load())
      for (const id of ids) {
        const conversation = next.get(id)
        removedHere.set(id, Math.max(now().getTime(), conversation ? lastChangeMs(conversation) : 0))
        next.delete(id)
      }
      adopt(next)
      const copy = selected.read()
      // The list first, because it gets smaller: on a full disk nothing else could be written.
      const isWritten = persistHistory()
      if (copy && ids.includes(copy.id)) selected.remove()
      const isRemembered = rememberRemovals()
      requestReview()
      return isWritten && isRemembered
    },

    /** Restores what was removed, as it was. */
    restore(conversations: readonly Conversation[]): boolean {
      const removals = readAllRemovals()
      for (const { id } of conversations) {
        removals.delete(id)
        removedHere.delete(id)
      }
      const isLifted = writeRemovals(storage, removals)
      adopt(mergeConversations([[...load().values()], conversations], removals))
      const isWritten = persistHistory()
      requestReview()
      return isLifted && isWritten
    },

    select(id: string | null): boolean {
      if (id !== null && load().has(id)) return persistSelected(id)
      const copy = selected.read()
      if (copy && !isInHistory(copy) && !persistHistory()) return false
      selected.remove()
      return true
    },

    storedSelection: (): Conversation | null => {
      const id = selected.read()?.id ?? selected.readReference()
      return id === null ? null : (load().get(id) ?? null)
    },

    /** Whether the selected copy contains something that the list lacks. */
    isListBehind: () => unlistedIds.size > 0,
    listSelected,

    /** Call after other code in this tab has written the files: a migration, an import. */
    refresh: () => {
      if (known !== null) absorb()
    },
    onOtherTab,
  }
}
