import { databaseExists } from '../database/database-exists'
import { DATABASE_NAMES } from '../database/database-names'
import { deleteDatabase } from '../database/delete-database'
import type { GuardedStorage } from '../storage/guarded-storage'
import { CREDIT_KEYS, MIGRATIONS_VERSION_KEY } from '../storage/storage-keys'

/** A fresh start needs no migrations, so their marker is kept. */
const KEPT_KEYS = [MIGRATIONS_VERSION_KEY]

interface DeleteOptions {
  storage: GuardedStorage
  /** Session storage. */
  clearTab: () => void
  keepCredit: boolean
}

/**
 * Deletes everything that this browser stores for us; without `keepCredit` also the credit's secrets. The page must be
 * reloaded afterwards, because it still has in memory what is gone.
 */
export async function deleteEverything({ storage, clearTab, keepCredit }: DeleteOptions): Promise<void> {
  const keptKeys = keepCredit ? [...KEPT_KEYS, ...CREDIT_KEYS] : KEPT_KEYS
  const kept = keptKeys.map(key => [key, storage.read(key)] as const)
  storage.clear()
  for (const [key, text] of kept) if (text !== null) storage.write(key, text)
  clearTab()
  for (const name of DATABASE_NAMES) {
    if (await databaseExists(name)) await deleteDatabase(name)
  }
}
