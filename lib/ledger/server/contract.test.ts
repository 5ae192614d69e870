import { afterAll, beforeAll } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { createHostClient } from '@/lib/host-mode/server/host-client'
import { served, serveHost } from '@/lib/host-mode/server/serve-host'
import { TestHost } from '@/lib/host-mode/testing'
import { describeLedgerContract } from '../contract'
import { LEDGER_CONTRACT, type Ledger } from '../domain/ledger'
import { createEmbeddedLedger } from './embedded-ledger'

const token = 'token of the host'

describeOnPostgres('one contract', getDatabase => {
  let embedded: Ledger
  let remote: Ledger
  const host = new TestHost()

  beforeAll(async () => {
    embedded = createEmbeddedLedger({ database: getDatabase() })
    const offers = [served(LEDGER_CONTRACT, embedded)]
    host.answerWith((request, verb) => serveHost({ request, verb, token, offers }))
    await host.start()
    remote = createHostClient(LEDGER_CONTRACT, { baseUrl: host.baseUrl, token })
  })
  afterAll(() => host.stop())

  describeLedgerContract('kept here', () => embedded)
  describeLedgerContract('kept by a payments host', () => remote)
})
