import type { GuardedStorage } from '../storage/guarded-storage'

/** The images that the second migration cleans up; `key` is whatever key the store has. */
export interface MigrationImages<Key = unknown> {
  /** Newest first. */
  entries(): Promise<{ key: Key; createdMs: number; isPlaceholder: boolean }[]>
  replaceByPlaceholder(key: Key): Promise<void>
  delete(keys: readonly Key[]): Promise<void>
}

export interface MigrationContext {
  storage: GuardedStorage
  /** Null when this browser has no image store: then it is not opened either. */
  openImages: () => Promise<MigrationImages | null>
  now: () => Date
}

export interface Migration {
  version: number
  /**
   * Must leave a state from which it can run again: it may be interrupted anywhere.
   * @throws when it could not do all of its work; it then runs again at the next start
   */
  run(context: MigrationContext): Promise<void>
}

/** Local storage is full: the marker must not move on, and the person has been told. */
class MigrationBlockedError extends Error {
  override name = 'MigrationBlockedError'
}

export function writeOrThrow(storage: GuardedStorage, key: string, text: string): void {
  if (!storage.write(key, text)) throw new MigrationBlockedError(`No room to write ${key}.`)
}
