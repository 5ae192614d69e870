import 'server-only'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach } from '@jest/globals'
import { openTestDatabase } from '@/lib/db/testing'
import { hashSecret } from '@/lib/http/credential'
import { type StandInUpstream, startStandInUpstream } from '@/test/stand-ins/upstream'
import { answerApi } from '@/test/support/answer-api'
import { startSite, type TestSite } from '@/test/support/exchange-site'
import { type ServedHandler, serveHandler } from '@/test/support/serve-handler'

/** The API over real HTTP for somebody else's client, with a dollar to spend; each test begins with a well-behaved upstream. */
export function useSdkSite() {
  let upstream: StandInUpstream
  let site: TestSite
  let served: ServedHandler
  const creditId = randomUUID()
  const apiKey = `sk-${randomUUID().replaceAll('-', '')}`

  beforeAll(async () => {
    upstream = await startStandInUpstream()
    site = startSite({ database: await openTestDatabase(), upstream })
    // What lib/composition.ts keeps for the process: the routes find these services in place of its own.
    Object.assign(globalThis, { [Symbol.for('tuppence.services')]: Promise.resolve(site) })
    served = await serveHandler(answerApi)
    const firstKey = { secretHash: hashSecret(apiKey), hint: '' }
    const { accountId } = await site.ledger.createAccount({
      creditIdHash: hashSecret(creditId),
      firstKey,
      attribution: null,
    })
    const reference = randomUUID()
    await site.ledger.credit({ accountId, amountNano: 10n ** 9n, source: 'gateway', reference, memo: {} })
  })
  afterAll(async () => {
    await served.close()
    await upstream.close()
    await site.database.close()
  })
  beforeEach(() => {
    upstream.requests.length = 0
    upstream.setScript({})
  })
  return {
    apiKey,
    creditId,
    get url() {
      return served.url
    },
    get upstream() {
      return upstream
    },
    /** The credit_id of an account with nothing in it. */
    async poor(): Promise<string> {
      const poor = randomUUID()
      await site.ledger.createAccount({ creditIdHash: hashSecret(poor), firstKey: null, attribution: null })
      return poor
    },
  }
}
