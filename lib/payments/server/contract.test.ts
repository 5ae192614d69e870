import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { createHostClient } from '@/lib/host-mode/server/host-client'
import { served, serveHost } from '@/lib/host-mode/server/serve-host'
import { TestHost } from '@/lib/host-mode/testing'
import { PAYMENTS_CONTRACT, type Payments, REFILL_LINKS_CONTRACT } from '../domain/payments'
import type { RefillLinks } from '../domain/refill-links'
import { createHostPayments } from '../host/create-host-payments'
import { type ContractParties, createContractPayments } from '../testing'
import { describePaymentsContract } from '../testing-contract'
import { createRefillLinks } from './refill-links'

const token = 'token of the host'

describeOnPostgres('the payments contract', getDatabase => {
  let embedded: { payments: Payments; refillLinks: RefillLinks; parties: ContractParties }
  let remote: typeof embedded
  const host = new TestHost()

  beforeAll(async () => {
    const database = getDatabase()
    embedded = { ...createContractPayments(database), refillLinks: createRefillLinks({ database }) }
    const offers = [
      served(PAYMENTS_CONTRACT, embedded.payments),
      served(REFILL_LINKS_CONTRACT, embedded.refillLinks),
    ]
    host.answerWith((request, verb) => serveHost({ request, verb, token, offers }))
    await host.start()
    const address = { baseUrl: host.baseUrl, token }
    remote = {
      payments: createHostPayments(address),
      refillLinks: createHostClient(REFILL_LINKS_CONTRACT, address),
      parties: embedded.parties,
    }
  })
  afterAll(() => host.stop())

  describePaymentsContract('taken here', () => embedded)
  describePaymentsContract('taken by a payments host', () => remote)

  test('webhooks, reconciling and watching are the host’s alone, and send it no request', async () => {
    host.requestCount = 0
    const webhook = { gatewayId: 'btcpay', rawBody: new Uint8Array(), headers: new Headers() } as const
    expect(await remote.payments.handleWebhook(webhook)).toEqual({ outcome: 'absent' })
    expect(await remote.payments.reconcile({ invoiceCountMax: 1 })).toEqual({
      checkedCount: 0,
      failedCount: 0,
      creditedNano: 0n,
    })
    const watching = await remote.payments.watch()
    watching.stop()
    expect(host.requestCount).toBe(0)
  })
})
