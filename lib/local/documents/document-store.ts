import { databaseExists } from '../database/database-exists'
import { DOCUMENT_DATABASE_NAME } from '../database/database-names'
import { openedOnce } from '../database/opened-once'
import { type DocumentTable, openDocumentTable } from './document-table'
import type { StoredDocument } from './stored-document'

const open = openedOnce(openDocumentTable)

/** Attached documents, stored outside of local storage. The first call that needs Dexie loads it. */
export const documentStore = {
  /** @throws if there is no room, or no database in this browser */
  async save(document: StoredDocument, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await (await open()).save(document, bytes)
  },

  /** Null if it is not (or no longer) here. */
  async get(url: string): Promise<StoredDocument | null> {
    return (await documentStore.table())?.get(url) ?? null
  },

  async bytesOf(url: string): Promise<Uint8Array<ArrayBuffer> | null> {
    return (await documentStore.table())?.bytesOf(url) ?? null
  },

  async delete(url: string): Promise<void> {
    await (await documentStore.table())?.delete([url])
  },

  /** Null if no document was ever stored here. */
  async table(): Promise<DocumentTable | null> {
    return (await databaseExists(DOCUMENT_DATABASE_NAME)) ? open() : null
  },
}
