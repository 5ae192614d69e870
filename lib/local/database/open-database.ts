import type { Dexie } from 'dexie'
import { inTime } from './in-time'

/** Table names with their keys and indexes, for a database that is to be created or upgraded. */
export interface DatabaseSchema {
  version: number
  tables: Record<string, string>
}

/**
 * Opens a database; without a schema, an existing one as it is. Dexie is loaded here, on first use, rather than with
 * the page.
 */
export async function openBrowserDatabase(name: string, schema: DatabaseSchema | null): Promise<Dexie> {
  const { Dexie } = await import('dexie')
  const database = new Dexie(name)
  if (schema) database.version(schema.version).stores(schema.tables)
  // Another tab deletes or upgrades it: close it, without Dexie's warning, and open it again when needed.
  database.on('versionchange', () => {
    database.close({ disableAutoOpen: false })
    return false
  })
  return await inTime(database.open())
}
