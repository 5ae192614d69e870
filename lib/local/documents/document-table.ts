import type { EntityTable } from 'dexie'
import { DOCUMENT_DATABASE_NAME } from '../database/database-names'
import { openBrowserDatabase } from '../database/open-database'
import { parseStoredDocument, type StoredDocument } from './stored-document'

const DOCUMENT_DATABASE_VERSION = 1

/** Separate from the document's record, so that listing documents does not read megabytes. */
interface DocumentFile {
  url: string
  bytes: Uint8Array<ArrayBuffer>
}

export type DocumentTable = Awaited<ReturnType<typeof openDocumentTable>>

export async function openDocumentTable() {
  const database = await openBrowserDatabase(DOCUMENT_DATABASE_NAME, {
    version: DOCUMENT_DATABASE_VERSION,
    tables: { documents: 'url, created_at', files: 'url' },
  })
  const documents: EntityTable<StoredDocument, 'url'> = database.table('documents')
  const files: EntityTable<DocumentFile, 'url'> = database.table('files')
  const inTransaction = <Result>(task: () => Promise<Result>): Promise<Result> =>
    database.transaction('rw', [documents, files], task)

  return {
    get: async (url: string): Promise<StoredDocument | null> => parseStoredDocument(await documents.get(url)),

    /** Null if they are gone. */
    async bytesOf(url: string): Promise<Uint8Array<ArrayBuffer> | null> {
      const bytes = (await files.get(url))?.bytes
      return bytes instanceof Uint8Array ? bytes : null
    },

    /** Both or neither, so that a record never refers to missing bytes. */
    save: (document: StoredDocument, bytes: Uint8Array<ArrayBuffer>): Promise<void> =>
      inTransaction(async () => {
        await documents.put(document)
        await files.put({ url: document.url, bytes })
      }),

    urls: (): Promise<string[]> => documents.toCollection().primaryKeys(),
    urlsStoredBefore: (time: Date): Promise<string[]> =>
      documents.where('created_at').below(time.toISOString()).primaryKeys(),

    async sizes(): Promise<{ count: number; bytes: number }> {
      let bytes = 0
      const count = await documents.count()
      await documents.each(({ size, text }) => {
        bytes += size + text.length
      })
      return { count, bytes }
    },

    delete: (urls: readonly string[]): Promise<void> =>
      inTransaction(async () => {
        await documents.bulkDelete([...urls])
        await files.bulkDelete([...urls])
      }),
  }
}
