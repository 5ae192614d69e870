import 'server-only'
import type { Database } from '@/lib/db/database'
import { FUNCTIONS } from '@/lib/db/migrations/functions'
import { MIGRATIONS } from '@/lib/db/migrations/migrations'
import { retryLostConnection } from '@/lib/db/retry-lost-connection'
import type { MissingGuard } from './missing-guards'
import { runSql } from './real-ledger'

/** Puts a ledger without one guard in the place of whatever the test database holds. */
export async function installWithout(
  database: Database,
  { without, replacements }: MissingGuard,
): Promise<void> {
  const unused = new Set(replacements)
  const statements = [...MIGRATIONS, ...FUNCTIONS]
    .flatMap(step => step.statements)
    .map(statement =>
      replacements.reduce((text, replacement) => {
        const [removed, inserted] = replacement
        if (text.includes(removed)) unused.delete(replacement)
        return text.replaceAll(removed, inserted)
      }, statement),
    )
  if (unused.size > 0) throw new Error(`The guard is not where it is to be removed: ${without}`)
  // A run that has failed leaves calls under way: one of them and this may wait for each other, until one is ended.
  await retryLostConnection(() => runSql(database, 'drop schema if exists public cascade'))
  // In one piece: two hundred round trips and commits take twice the time.
  await runSql(database, ['create schema public', ...statements].join(';\n'))
}
