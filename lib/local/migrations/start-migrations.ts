import { archive } from '../archive/history-store'
import { conversations } from '../conversations/conversations'
import { imageStore } from '../images/image-store'
import { guardedStorage } from '../storage/guarded-storage'
import { heldMarks, holdMark, withLock } from '../storage/locks'
import { createMigrationImages } from './migration-images'
import { runMigrations } from './run-migrations'

const LOCK_NAME = 'tuppence-migrations'
const MARK_PREFIX = 'tuppence-migrated-'

/** Brings this browser's data up to date. @throws what a failing migration threw */
export async function startMigrations(): Promise<void> {
  await runMigrations({
    storage: guardedStorage,
    openImages: async () => {
      const table = await imageStore.table()
      return table && createMigrationImages(table, archive.images)
    },
    now: () => new Date(),
    runExclusively: task => withLock(LOCK_NAME, task),
    announceVersion: version => holdMark(`${MARK_PREFIX}${version}`).held,
    announcedVersion: async () => Math.max(0, ...(await heldMarks(MARK_PREFIX)).map(Number)),
    log: error => reportError(error),
  })
  conversations.refresh()
}
