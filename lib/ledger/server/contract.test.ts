import { afterAll, beforeAll } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { describeLedgerContract } from '../contract'
import type { Ledger } from '../domain/ledger'
import { createHostLedger } from '../host/host-ledger'
import { readJsonBody, TestHost } from '../host/testing'
import { createEmbeddedLedger } from './embedded-ledger'
import { serveHost } from './serve-host'

const TOKEN = 'token of the host'

describeOnPostgres('one contract', getDatabase => {
  let embedded: Ledger
  let remote: Ledger
  const host = new TestHost()

  beforeAll(async () => {
    embedded = createEmbeddedLedger({ database: getDatabase() })
    host.answer = async (request, response) => {
      const { status, body } = await serveHost({
        ledger: embedded,
        token: TOKEN,
        request: {
          verb: request.url?.split('/').at(-1) ?? '',
          authorization: request.headers.authorization ?? null,
          body: await readJsonBody(request),
        },
      })
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    await host.start()
    remote = createHostLedger({ baseUrl: host.baseUrl, token: TOKEN })
  })
  afterAll(() => host.stop())

  describeLedgerContract('kept here', () => embedded)
  describeLedgerContract('kept by a payments host', () => remote)
})
