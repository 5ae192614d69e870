import { conversationText, conversationTitle } from '../conversations/conversation-text'
import { lastChangeMs, lastMessageMs } from '../conversations/conversation-time'
import { mergeConversation } from '../conversations/merge-conversations'
import { parseConversation } from '../conversations/parse-conversation'
import type { Conversation } from '../domain/conversation'
import { isSameJson } from '../storage/json'
import type { ArchiveDatabase, ArchivedSummary } from './archive-database'

/** How much of a conversation's text can be searched: more than a long book chapter. */
const SEARCH_TEXT_LENGTH_MAX = 200_000
/** Conversations per transaction and per read, to limit the memory that a move takes. */
const BATCH_SIZE = 50

export type Archive = ReturnType<typeof createArchive>

/** The conversations that no longer fit in local storage. */
export function createArchive(open: () => Promise<ArchiveDatabase>) {
  async function get(id: string): Promise<Conversation | null> {
    const stored = await (await open()).conversations.get(id)
    return parseConversation(stored)?.conversation ?? null
  }

  /** @returns what was written: a newer archived copy is kept */
  async function putBatch(conversations: readonly Conversation[]): Promise<Conversation[]> {
    const database = await open()
    return database.transaction(async () => {
      const existing = await database.conversations.bulkGet(conversations.map(({ id }) => id))
      const newest = conversations.map((conversation, index) => {
        const known = parseConversation(existing[index])?.conversation
        return known ? mergeConversation(conversation, known) : conversation
      })
      await database.conversations.bulkPut(newest)
      await database.summaries.bulkPut(newest.map(summarize))
      return newest
    })
  }

  return {
    get,

    /**
     * Copies the conversations and reads them back.
     * @throws if the copy differs or could not be made; then nothing may be removed elsewhere
     */
    async put(conversations: readonly Conversation[]): Promise<void> {
      for (let start = 0; start < conversations.length; start += BATCH_SIZE) {
        const batch = conversations.slice(start, start + BATCH_SIZE)
        const written = await putBatch(batch)
        const copies = await (await open()).conversations.bulkGet(written.map(({ id }) => id))
        const isVerified = written.every((conversation, index) => isCopy(copies[index], conversation))
        if (!isVerified) throw new Error('The archived copy of a conversation differs from the original.')
      }
    },

    async delete(ids: readonly string[]): Promise<void> {
      const database = await open()
      await database.transaction(async () => {
        await database.conversations.bulkDelete([...ids])
        await database.summaries.bulkDelete([...ids])
      })
    },

    summaries: async (): Promise<ArchivedSummary[]> => (await open()).summaries.toArray(),

    /** Visits every conversation, with one batch in memory at a time. */
    async forEach(visit: (conversation: Conversation) => void): Promise<void> {
      const database = await open()
      const ids = await database.conversations.toCollection().primaryKeys()
      for (let start = 0; start < ids.length; start += BATCH_SIZE) {
        const batch = await database.conversations.bulkGet(ids.slice(start, start + BATCH_SIZE))
        for (const stored of batch) {
          const conversation = parseConversation(stored)?.conversation
          if (conversation) visit(conversation)
        }
      }
    },

    images: async () => (await open()).images,
  }
}

/** A newer copy is just as good: a streaming answer may have been stored again before the copy is checked. */
function isCopy(copy: Conversation | undefined, original: Conversation): boolean {
  return copy !== undefined && (isSameJson(copy, original) || lastChangeMs(copy) > lastChangeMs(original))
}

function summarize(conversation: Conversation): ArchivedSummary {
  return {
    id: conversation.id,
    title: conversationTitle(conversation),
    created_at: conversation.created_at,
    updated_at: new Date(lastChangeMs(conversation)).toISOString(),
    written_at: new Date(lastMessageMs(conversation)).toISOString(),
    text: conversationText(conversation).slice(0, SEARCH_TEXT_LENGTH_MAX),
  }
}
