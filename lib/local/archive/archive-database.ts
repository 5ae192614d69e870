import type { EntityTable } from 'dexie'
import { ARCHIVE_DATABASE_NAME } from '../database/database-names'
import { openBrowserDatabase } from '../database/open-database'
import type { Conversation } from '../domain/conversation'
import type { StoredImage } from '../images/stored-image'

const ARCHIVE_DATABASE_VERSION = 1

/** What the list and the search need of an archived conversation, so that neither reads its messages. */
export interface ArchivedSummary {
  id: string
  title: string
  created_at: string
  /** ISO 8601, of the last change. */
  updated_at: string
  /** ISO 8601, of the last message; absent if an earlier version archived it. */
  written_at?: string
  text: string
}

export interface ArchivedImage extends StoredImage {
  url: string
}

export interface ArchiveDatabase {
  conversations: EntityTable<Conversation, 'id'>
  summaries: EntityTable<ArchivedSummary, 'id'>
  images: EntityTable<ArchivedImage, 'url'>
  transaction<Result>(task: () => Promise<Result>): Promise<Result>
}

export async function openArchiveDatabase(): Promise<ArchiveDatabase> {
  const database = await openBrowserDatabase(ARCHIVE_DATABASE_NAME, {
    version: ARCHIVE_DATABASE_VERSION,
    tables: { conversations: 'id', summaries: 'id', images: 'url' },
  })
  const conversations: ArchiveDatabase['conversations'] = database.table('conversations')
  const summaries: ArchiveDatabase['summaries'] = database.table('summaries')
  const images: ArchiveDatabase['images'] = database.table('images')
  return {
    conversations,
    summaries,
    images,
    transaction: task => database.transaction('rw', [conversations, summaries], task),
  }
}
