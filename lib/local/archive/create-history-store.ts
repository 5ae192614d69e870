import type { ConversationRepository } from '../conversations/conversation-repository'
import type { ConversationStore } from '../conversations/conversation-store'
import { lastChangeMs } from '../conversations/conversation-time'
import type { Conversation } from '../domain/conversation'
import { createListeners, type ExternalStore, subscribeToBoth } from '../storage/external-store'
import { whenIdle } from '../when-idle'
import type { Archive } from './archive'
import type { ArchivedSummary } from './archive-database'
import { type HistoryEntry, mergeEntries } from './history-entry'
import { createHistorySearch, type SearchResult } from './search-history'

/** How many conversations the default clean-up keeps in local storage: the most recent ones. */
export const KEPT_CONVERSATION_COUNT = 20
/** How many to keep if the default clean-up is not enough; tried one after the other. */
const KEPT_COUNTS = [KEPT_CONVERSATION_COUNT, 10, 5, 2, 1]
const NOTHING: readonly HistoryEntry[] = []

export interface HistoryStore extends ExternalStore<readonly HistoryEntry[]> {
  /** Reads the archive's list, if there is an archive, and prepares the search in idle time. */
  load(): Promise<void>
  /** Prepares a conversation for selection, taking it out of the archive if it is there. */
  open(id: string): Promise<Conversation | null>
  /** Undone by `conversationStore.undoDelete`, wherever the conversation was. */
  delete(id: string): Promise<boolean>
  search(query: string): SearchResult[]
  /** Moves all but the 20 most recent to the archive. @returns how many were moved */
  cleanUp(): Promise<number>
  /** Moves as many as it takes to make room, and at least one if there are others than the selected one. */
  makeRoom(): Promise<number>
  /** For `connectArchive`. */
  overflowed(conversation: Conversation): Promise<void>
  deleted(id: string): Promise<void>
}

export interface HistoryOptions {
  store: ConversationStore
  repository: ConversationRepository
  archive: Archive
  archiveExists: () => Promise<boolean>
  areConversationsTooLarge: () => boolean
  /** The conversations shown in all tabs, which are kept however old they are. */
  openIds: () => Promise<ReadonlySet<string>>
  /** Allows only one clean-up at a time across all tabs. */
  runExclusively: <Result>(task: () => Promise<Result>) => Promise<Result>
}

/** The whole history: local storage and archive as one list. */
export function createHistoryStore(options: HistoryOptions): HistoryStore {
  const { store, repository, archive, archiveExists } = options
  const { subscribe, notify } = createListeners()
  const { search, prepare } = createHistorySearch()
  let archived: readonly ArchivedSummary[] = []
  let seen: { conversations: unknown; archived: unknown; entries: readonly HistoryEntry[] } | null = null

  async function load(): Promise<void> {
    if (await archiveExists()) await readArchive()
    runInSlices([...repository.snapshot(), ...archived], prepare)
  }

  async function readArchive(): Promise<void> {
    const summaries = await archive.summaries()
    // Unchanged summaries keep their identity, and with it their folded text.
    const known = new Map(archived.map(item => [item.id, item]))
    archived = summaries.map(item => {
      const same = known.get(item.id)
      return same?.updated_at === item.updated_at ? same : item
    })
    notify()
  }

  async function forgetArchived(id: string): Promise<void> {
    if (!(await archiveExists())) return
    await archive.delete([id])
    await load()
  }

  /** @throws if the archive could not take them; then all of them are still where they were */
  function moveAllBut(keepCount: number): Promise<number> {
    return options.runExclusively(async () => {
      const openIds = await options.openIds()
      const older = repository
        .snapshot()
        .slice(keepCount)
        .filter(({ id }) => !openIds.has(id))
      if (older.length === 0) return 0
      await archive.put(older)
      // A conversation that changed while it was being copied stays; its copy is older and does no harm.
      const unchanged = older.filter(conversation => repository.get(conversation.id) === conversation)
      repository.remove(unchanged.map(({ id }) => id))
      if (unchanged.length > 0) await load()
      return unchanged.length
    })
  }

  return {
    subscribe: subscribeToBoth(subscribe, repository.subscribe),
    getSnapshot() {
      const conversations = repository.snapshot()
      if (seen?.conversations !== conversations || seen.archived !== archived) {
        seen = { conversations, archived, entries: mergeEntries(conversations, archived) }
      }
      return seen.entries
    },
    getServerSnapshot: () => NOTHING,
    load,

    async open(id) {
      const here = repository.get(id)
      const summary = archived.find(candidate => candidate.id === id)
      if (!summary || (here && lastChangeMs(here) >= Date.parse(summary.updated_at))) return here
      const copy = await archive.get(id)
      if (!copy) return here
      if (options.areConversationsTooLarge()) await moveAllBut(KEPT_CONVERSATION_COUNT)
      repository.restore([copy])
      return repository.get(id)
    },

    async delete(id) {
      if (repository.get(id)) return store.deleteConversation(id)
      const copy = await archive.get(id)
      if (!copy) return false
      store.rememberDeleted(copy)
      await forgetArchived(id)
      return true
    },

    search: query => search(query, repository.snapshot(), archived),
    cleanUp: () => moveAllBut(KEPT_CONVERSATION_COUNT),

    async makeRoom() {
      let moved = 0
      for (const keepCount of KEPT_COUNTS) {
        moved += await moveAllBut(keepCount)
        if (moved > 0 && !options.areConversationsTooLarge()) break
      }
      return moved
    },

    async overflowed(conversation) {
      const { id } = conversation
      try {
        await archive.put([conversation])
      } catch (error) {
        // Deleted before the copy was read back.
        if (!store.isDeletedHere(id)) throw error
      }
      // Whoever deletes it may have found no archive yet.
      if (store.isDeletedHere(id)) await archive.delete([id])
      await load()
    },
    deleted: forgetArchived,
  }
}

/** Half a frame, so that the page still reacts in time. */
const SLICE_MS = 8
/** Between two slices, on a page that is never idle. */
const PAUSE_MS_MAX = 1_000

/** Visits the items bit by bit while the page is idle. */
export function runInSlices<Item>(items: readonly Item[], visit: (item: Item) => void): void {
  let next = 0
  const runSlice = (): void => {
    const end = performance.now() + SLICE_MS
    for (; next < items.length && performance.now() < end; next += 1) {
      const item = items[next]
      if (item !== undefined) visit(item)
    }
    if (next < items.length) whenIdle(runSlice, PAUSE_MS_MAX)
  }
  if (items.length > 0) whenIdle(runSlice, PAUSE_MS_MAX)
}
