import 'server-only'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach } from '@jest/globals'
import type { Services } from '@/lib/composition'
import { openTestDatabase } from '@/lib/db/testing'
import { hashSecret } from '@/lib/http/credential'
import { keyHint } from '@/lib/http/new-api-key'
import type { Payments } from '@/lib/payments/domain/payments'
import { createSandboxGateway } from '@/lib/payments/gateways/sandbox/sandbox-gateway'
import { createPayments } from '@/lib/payments/server/create-payments'
import type { PaymentTables } from '@/lib/payments/server/payment-tables'
import { type StandInUpstream, startStandInUpstream } from '@/test/stand-ins/upstream'
import { startSite, type TestSite } from '@/test/support/exchange-site'
import { provideServices, serveApi } from '@/test/support/serve-api'
import type { ServedHandler } from '@/test/support/serve-handler'

/**
 * The API over real HTTP for another vendor's client, with a dollar to spend; each test begins with a well-behaved
 * upstream.
 */
export function useSdkSite() {
  let upstream: StandInUpstream
  let site: TestSite
  let payments: Payments
  let served: ServedHandler
  const creditId = randomUUID()
  const apiKey = `sk-${randomUUID().replaceAll('-', '')}`

  const services = () => ({ ...site, payments, settings: { siteUrl: null, appName: 'Test' } })

  beforeAll(async () => {
    upstream = await startStandInUpstream()
    const database = await openTestDatabase()
    site = startSite({ database, upstream })
    const gateway = createSandboxGateway({ database: database.kysely.withTables<PaymentTables>() })
    payments = createPayments({ database, ledger: site.ledger, gateways: [gateway] })
    served = await serveApi(services())
    const firstKey = { secretHash: hashSecret(apiKey), hint: keyHint(apiKey) }
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
    get site() {
      return { ...site, payments }
    },
    /** Replaces some of the services meanwhile. */
    async during(others: Partial<Services>, work: () => Promise<void>) {
      provideServices({ ...services(), ...others })
      await work().finally(() => provideServices(services()))
    },
    get upstream() {
      return upstream
    },
    /** The credit_id of an account without money. */
    async poor(): Promise<string> {
      const poor = randomUUID()
      await site.ledger.createAccount({ creditIdHash: hashSecret(poor), firstKey: null, attribution: null })
      return poor
    },
  }
}
