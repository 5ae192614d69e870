import { request as askHttp } from 'node:http'
import { request as apiRequest } from '@playwright/test'
import { hashOf } from '@/lib/ledger/testing'
import { type Canary, startCanary } from '@/test/stand-ins/canary'
import { createAccount } from '@/test/support/account'
import { type FullSite, HOST_TOKEN, sessionCookie, startFullSite } from '@/test/support/full-site'
import { expect, test } from '@/test/support/test'
import { type Carrier, carriersOf, headerCarriers, type Visitor } from './address-carriers'
import { loopbackAddresses } from './loopback-addresses'

const PARALLEL_COUNT = 8

let canary: Canary
let site: FullSite

test.beforeEach(async () => {
  canary = await startCanary()
  site = await startFullSite()
})
test.afterEach(async () => {
  await site.stop()
  await canary.stop()
})

test('the server never connects to an address in a request, in any spelling', async () => {
  const visitor = await createVisitor()
  const addresses = loopbackAddresses(canary.port)
  const carriers = [
    ...addresses.flatMap(address => carriersOf(address, site, visitor)),
    ...[`http://127.0.0.1:${canary.port}/canary`, `//localhost:${canary.port}`].flatMap(address =>
      headerCarriers(address, `127.0.0.1:${canary.port}`),
    ),
  ]
  const answers = await sendAll(carriers)

  const leadingAway = answers.filter(({ location }) => location !== undefined && !isOwnPath(location))
  expect(leadingAway.map(({ carrier, location }) => `${carrier.path} -> ${location}`)).toEqual([])
  const failed = answers.filter(({ status }) => status >= 500)
  expect(failed.map(({ carrier, status }) => `${status} ${carrier.path} ${carrier.body}`)).toEqual([])
  // Stopping the app finishes work that was deferred, including any requests.
  await site.app.stop()
  expect(canary.visits).toEqual([])
  // Checks the test itself: the requests reached the upstream, and the canary can be reached.
  expect(site.upstream.requests.filter(({ rawBody }) => rawBody.includes('/canary')).length).toBeGreaterThan(
    100,
  )
  for (const host of ['127.0.0.1', '[::1]', 'localhost']) await fetch(`http://${host}:${canary.port}/`)
  expect(canary.visits).toHaveLength(3)
})

/** Creates a visitor with an account, a balance, a refill link and a session. */
async function createVisitor(): Promise<Visitor> {
  const request = await apiRequest.newContext({ baseURL: site.app.baseUrl })
  const { creditId } = await createAccount(request, 0)
  const headers = { authorization: `Bearer ${creditId}` }
  const created = await request.post('/topup/create/btc-lightning', { headers, data: { amount: 100 } })
  const { invoice_id: invoiceId } = await created.json()
  site.btcpay.newestInvoice().pay(100n, true)
  expect(await (await request.get(`/topup/status/${invoiceId}`, { headers })).json()).toMatchObject({
    status: 'Settled',
  })
  const { token: refillToken } = await (await request.post('/topup/refill/link', { headers })).json()
  const balance = await request.post('/api/ledger/getBalance', {
    headers: { authorization: `Bearer ${HOST_TOKEN}` },
    data: { credential: { kind: 'credit_id', secretHash: hashOf(creditId) } },
  })
  const { accountId } = await balance.json()
  await request.dispose()
  return { creditId, refillToken, accountId, cookie: await sessionCookie(site) }
}

interface CarrierAnswer {
  carrier: Carrier
  status: number
  location: string | undefined
}

async function sendAll(carriers: readonly Carrier[]): Promise<CarrierAnswer[]> {
  const answers: CarrierAnswer[] = []
  const waiting = [...carriers]
  const worker = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) answers.push(await send(next))
  }
  await Promise.all(Array.from({ length: PARALLEL_COUNT }, worker))
  return answers
}

/** Uses Node's own client, which sends the Host header and path unchanged. */
function send(carrier: Carrier): Promise<CarrierAnswer> {
  const { port } = new URL(site.app.baseUrl)
  const { method, path, headers = {}, body = '' } = carrier
  return new Promise((resolve, reject) => {
    const request = askHttp(
      { host: '127.0.0.1', port, method, path: path.replace(/[^\x21-\x7e]/g, encodeURIComponent), headers },
      response => {
        response.resume()
        response.on('end', () =>
          resolve({ carrier, status: response.statusCode ?? 0, location: response.headers.location }),
        )
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

/** A redirect within the site: one leading slash, and nothing that a browser would read as a second one. */
function isOwnPath(location: string): boolean {
  return /^\/(?![/\\])/.test(location) || location.startsWith(`${site.app.baseUrl}/`)
}
