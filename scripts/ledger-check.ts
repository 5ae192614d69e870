import './load-environment'
import { serverSettings } from '@/lib/config/server-settings'
import { openDatabase } from '@/lib/db/open-database'
import { PATIENT_QUERY_TIMEOUT_MS } from '@/lib/db/open-postgres'
import { NO_BOOKS_HERE } from '@/lib/ledger/server/books'
import { checkLedger } from '@/lib/ledger/server/check-ledger'
import { formatLedgerReport, isBalanced } from '@/lib/ledger/server/format-ledger-report'
import { requireDatabase } from './operations/require-database'

/**
 * `npm run ledger:check`: recomputes the books and prints any difference, as `npm run ops -- check` does. It opens only
 * the database, whether its money is real or the sandbox's, so that a copy can be checked without any other setting.
 * The exit code is 1 if there is a difference, 2 if the ledger could not be read.
 */
try {
  const settings = serverSettings()
  if (settings.paymentsHost) throw new Error(NO_BOOKS_HERE)
  requireDatabase(settings.database)
  const database = await openDatabase({
    ...settings.database,
    queryTimeoutMs: PATIENT_QUERY_TIMEOUT_MS,
  })
  try {
    const report = await checkLedger({ database })
    for (const line of formatLedgerReport(report)) console.log(line)
    process.exitCode = isBalanced(report) ? 0 : 1
  } finally {
    await database.close()
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 2
}
