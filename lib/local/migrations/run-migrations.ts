import type { GuardedStorage } from '../storage/guarded-storage'
import { MIGRATIONS_VERSION_KEY } from '../storage/storage-keys'
import { LOCAL_MIGRATIONS, type LocalMigration, type MigrationContext, writeOrThrow } from './migrations'

export interface MigrationRun extends MigrationContext {
  migrations?: readonly LocalMigration[]
  /** Over all tabs: the second one waits, then finds the marker where the first one left it. */
  runExclusively: (task: () => Promise<void>) => Promise<void>
  /** Tells every tab at once how far the data is; the stored marker reaches another process some time later. */
  tellVersion: (version: number) => Promise<void>
  /** What tabs have told; 0 for nothing. */
  toldVersion: () => Promise<number>
  log: (error: unknown, version: number) => void
}

/**
 * Runs, in version order, the migrations above the stored marker, which moves on after each one.
 * @throws what a failing migration threw, after logging it; the marker then stands before that one
 */
export async function runMigrations({
  migrations = LOCAL_MIGRATIONS,
  runExclusively,
  tellVersion,
  toldVersion,
  log,
  ...context
}: MigrationRun): Promise<void> {
  const pending = () => pendingMigrations(context.storage, migrations)
  // The usual start: nothing to do, no lock to wait for.
  if (pending().length === 0) return
  await runExclusively(async () => {
    const doneElsewhere = await toldVersion()
    for (const migration of pending().filter(({ version }) => version > doneElsewhere)) {
      try {
        await migration.run(context)
        writeOrThrow(context.storage, MIGRATIONS_VERSION_KEY, String(migration.version))
        await tellVersion(migration.version)
      } catch (error) {
        log(error, migration.version)
        throw error
      }
    }
  })
}

/** A marker above ours was set by a newer version: its data is left alone. */
function pendingMigrations(storage: GuardedStorage, migrations: readonly LocalMigration[]): LocalMigration[] {
  const stored = Number(storage.read(MIGRATIONS_VERSION_KEY)?.replaceAll('"', ''))
  // Without a readable marker all of them run: each one changes only what still needs it.
  const version = Number.isInteger(stored) ? stored : 0
  return migrations
    .filter(migration => migration.version > version)
    .sort((left, right) => left.version - right.version)
}
