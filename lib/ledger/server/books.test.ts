import { expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { openDatabaseAt } from '@/lib/db/open-database'
import { describeOnPostgres } from '@/lib/db/testing'
import { createFundedAccount, openHold, USAGE } from '../testing'
import { createBooks } from './books'
import { createEmbeddedLedger } from './embedded-ledger'

describeOnPostgres('the books', (getDatabase, getUrl) => {
  test('sum up the ended calls of days of UTC, whatever the session’s time zone', async () => {
    const { kysely } = getDatabase()
    const ledger = createEmbeddedLedger({ database: getDatabase() })
    const { credential } = await createFundedAccount(ledger, 10n)
    for (const time of ['00:00:00', '23:59:59']) {
      const holdId = await openHold(ledger, credential, 2n)
      await ledger.settle({ holdId, costNano: 2n, usage: USAGE })
      const createdAt = sql<Date>`date_trunc('day', now(), 'UTC') + ${time}::interval`
      await kysely.updateTable('hold').set({ created_at: createdAt }).where('id', '=', holdId).execute()
    }
    await openHold(ledger, credential, 2n)
    await ledger.release({ holdId: await openHold(ledger, credential, 2n), usage: USAGE })
    for (const timeZone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      const address = new URL(getUrl())
      address.searchParams.set('options', `-c TimeZone=${timeZone}`)
      const database = await openDatabaseAt(address.href)
      const days = await createBooks({ database }).usageByDay({ dayCountMax: 1 })
      await database.close()
      expect(days).toMatchObject([{ callCount: 3, failedCallCount: 1, chargedNano: 4n }])
    }
  })
})
