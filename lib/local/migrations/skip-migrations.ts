import { archiveExists, imageDatabaseExists } from '../database/database-names'
import { type GuardedStorage, guardedStorage } from '../storage/guarded-storage'
import {
  CONVERSATION_HISTORY_KEY,
  MAX_CONTEXT_KEY,
  MIGRATIONS_VERSION_KEY,
  SELECTED_CONVERSATION_KEY,
} from '../storage/storage-keys'

/** The data that the migrations and the clean-up handle, besides pictures and what a full disk sent to the archive. */
const DATA_KEYS = [CONVERSATION_HISTORY_KEY, SELECTED_CONVERSATION_KEY, MAX_CONTEXT_KEY]

/**
 * Marks a browser without data as up to date, so that a first visit does not fetch the migrations.
 * @returns false if there is anything to migrate or clean up; then call `startMigrations`
 */
export async function skipMigrations(
  storage: GuardedStorage = guardedStorage,
  hasDatabases: () => Promise<boolean> = async () => (await imageDatabaseExists()) || (await archiveExists()),
): Promise<boolean> {
  if ((await hasDatabases()) || DATA_KEYS.some(key => storage.read(key) !== null)) return false
  const marker = storage.read(MIGRATIONS_VERSION_KEY)
  if (marker !== null) return marker === String(LATEST_MIGRATION_VERSION)
  return storage.write(MIGRATIONS_VERSION_KEY, String(LATEST_MIGRATION_VERSION))
}

/** The highest version among `LOCAL_MIGRATIONS`, for code that should not load them. */
export const LATEST_MIGRATION_VERSION = 3
