import type { Dexie } from 'dexie'

/** Table names and their keys and indexes, for a database that is to be created or upgraded. */
export interface DatabaseSchema {
  version: number
  tables: Record<string, string>
}

/**
 * Opens a database; without a schema, one that exists, as it is. Dexie is loaded here, on the first use,
 * and not with the page.
 */
export async function openBrowserDatabase(name: string, schema: DatabaseSchema | null): Promise<Dexie> {
  const { Dexie } = await import('dexie')
  const database = new Dexie(name)
  if (schema) database.version(schema.version).stores(schema.tables)
  // Another tab deletes or upgrades it: make way, without Dexie's warning, and open it again when needed.
  database.on('versionchange', () => {
    database.close({ disableAutoOpen: false })
    return false
  })
  return await database.open()
}
