import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { readJsonBody, TestHost } from '@/lib/ledger/host/testing'
import { describePaymentsContract } from '../contract'
import type { Payments } from '../domain/payments'
import type { RefillLinks } from '../domain/refill-links'
import { createHostPayments } from '../host/create-host-payments'
import { createHostRefillLinks } from '../host/create-host-refill-links'
import { type ContractParties, createContractPayments } from '../testing'
import { createRefillLinks } from './refill-links'
import { servePaymentsHost } from './serve-payments-host'

const TOKEN = 'token of the host'

describeOnPostgres('one contract', getDatabase => {
  let embedded: { payments: Payments; refillLinks: RefillLinks; parties: ContractParties }
  let remote: typeof embedded
  const host = new TestHost()

  beforeAll(async () => {
    const database = getDatabase()
    embedded = { ...createContractPayments(database), refillLinks: createRefillLinks({ database }) }
    host.answer = async (request, response) => {
      const { status, body } = await servePaymentsHost({
        ...embedded,
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
    const address = { baseUrl: host.baseUrl, token: TOKEN }
    remote = {
      payments: createHostPayments(address),
      refillLinks: createHostRefillLinks(address),
      parties: embedded.parties,
    }
  })
  afterAll(() => host.stop())

  describePaymentsContract('taken here', () => embedded)
  describePaymentsContract('taken by a payments host', () => remote)

  test('what is the host’s alone asks nobody', async () => {
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
