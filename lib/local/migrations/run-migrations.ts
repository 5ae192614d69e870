import type { GuardedStorage } from '../storage/guarded-storage'
import { bareText } from '../storage/json'
import { MIGRATIONS_VERSION_KEY } from '../storage/storage-keys'
import { LOCAL_MIGRATIONS, type LocalMigration, type MigrationContext, writeOrThrow } from './migrations'

export interface MigrationRun extends MigrationContext {
  migrations?: readonly LocalMigration[]
  /** Across all tabs: a second one waits, and then finds the marker where the first one left it. */
  runExclusively: (task: () => Promise<void>) => Promise<void>
  /**
   * Announces to every tab at once which version the data have; the stored marker reaches another process with a delay.
   */
  announceVersion: (version: number) => Promise<void>
  /** The version that tabs have announced; 0 for none. */
  announcedVersion: () => Promise<number>
  log: (error: unknown, version: number) => void
}

/**
 * Runs, in order, the migrations above the stored marker, which advances after each one.
 * @throws what a failing migration threw, after logging it; the marker then stays before that one
 */
export async function runMigrations({
  migrations = LOCAL_MIGRATIONS,
  runExclusively,
  announceVersion,
  announcedVersion,
  log,
  ...context
}: MigrationRun): Promise<void> {
  const pending = () => pendingMigrations(context.storage, migrations)
  // The usual start: nothing to do, and no lock to wait for.
  if (pending().length === 0) return
  await runExclusively(async () => {
    const doneElsewhere = await announcedVersion()
    for (const migration of pending().filter(({ version }) => version > doneElsewhere)) {
      try {
        await migration.run(context)
        writeOrThrow(context.storage, MIGRATIONS_VERSION_KEY, String(migration.version))
        await announceVersion(migration.version)
      } catch (error) {
        log(error, migration.version)
        throw error
      }
    }
  })
}

/** A marker above ours was set by a newer version, whose data are left alone. */
function pendingMigrations(storage: GuardedStorage, migrations: readonly LocalMigration[]): LocalMigration[] {
  const stored = Number(bareText(storage.read(MIGRATIONS_VERSION_KEY)))
  // Without a readable marker all of them run: each one only changes what still needs it.
  const version = Number.isInteger(stored) ? stored : 0
  return migrations
    .filter(migration => migration.version > version)
    .sort((left, right) => left.version - right.version)
}
