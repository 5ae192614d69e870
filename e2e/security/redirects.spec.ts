import { type APIRequestContext, request as apiRequest } from '@playwright/test'
import { type Canary, startCanary } from '@/test/stand-ins/canary'
import { type RedirectingProxy, startRedirectingProxy } from '@/test/stand-ins/redirecting-proxy'
import { createAccount } from '@/test/support/account'
import { type AppProcess, startApp } from '@/test/support/app-process'
import {
  CRON_SECRET,
  type FullSite,
  HOST_TOKEN,
  sessionCookie,
  startFullSite,
} from '@/test/support/full-site'
import { expect, test } from '@/test/support/test'

/** 303 turns a POST into a GET; 307 and 308 repeat its body and headers. */
const STATUSES = [301, 302, 303, 307, 308]

let canary: Canary
let proxies: RedirectingProxy[]
let site: FullSite
let request: APIRequestContext

async function through(address: string): Promise<string> {
  const proxy = await startRedirectingProxy(address)
  proxies.push(proxy)
  return proxy.url
}

test.beforeEach(async () => {
  canary = await startCanary()
  proxies = []
  site = await startFullSite(through)
  request = await apiRequest.newContext({ baseURL: site.app.baseUrl, maxRedirects: 0 })
})
test.afterEach(async () => {
  await request.dispose()
  await site.stop()
  await Promise.all(proxies.map(proxy => proxy.stop()))
  await canary.stop()
})

/** While the callback runs, all services redirect every request to the canary. */
async function whileRedirected(status: number, work: () => Promise<void>): Promise<void> {
  const location = `http://127.0.0.1:${canary.port}/canary`
  for (const proxy of proxies) proxy.redirectTo({ status, location })
  try {
    await work()
  } finally {
    for (const proxy of proxies) proxy.redirectTo(null)
  }
}

const redirectedPaths = () => proxies.flatMap(({ redirected }) => redirected)

test('redirects by an upstream, a payment gateway or the sign-in service are not followed', async () => {
  const { creditId } = await createAccount(request, 0)
  const headers = { authorization: `Bearer ${creditId}` }
  const order = async (method: string) =>
    (await request.post(`/topup/create/${method}`, { headers, data: { amount: 10 } })).json()
  const paid = await order('btc-lightning')
  site.btcpay.newestInvoice().pay(100n, true)
  await request.get(`/topup/status/${paid.invoice_id}`, { headers })
  expect(await chat(headers, false)).toBe(200)
  for (const status of STATUSES) {
    const [bitcoin, card] = [await order('btc-lightning'), await order('card')]
    const bitcoinId = site.btcpay.newestInvoice().id
    const [sessionId = ''] = site.stripe.sessionIds().slice(-1)
    const session = { cookie: await sessionCookie(site) }
    await whileRedirected(status, async () => {
      const statuses = [
        ...(await Promise.all([true, false].map(stream => chat(headers, stream)))),
        await drawPicture(headers),
        (await request.post('/topup/create/btc-lightning', { headers, data: { amount: 10 } })).status(),
        (await request.post('/topup/create/card', { headers, data: { amount: 10 } })).status(),
        await deliver('btcpay', site.btcpay.webhook('InvoiceSettled', bitcoinId)),
        await deliver('stripe', site.stripe.webhook('checkout.session.completed', { id: sessionId })),
      ]
      expect(statuses.filter(answered => answered < 500 || answered === 500)).toEqual([])
      for (const { invoice_id: invoiceId } of [bitcoin, card])
        expect((await request.get(`/topup/status/${invoiceId}`, { headers })).status()).toBe(200)
      await request.post('/api/cron/reconcile', { headers: { authorization: `Bearer ${CRON_SECRET}` } })
      // Pages and routes of the sign-in: the keys, the person, a code, a mailed link, the end of a session.
      await request.get('/account', { headers: session })
      const origin = { ...session, origin: site.app.baseUrl }
      expect((await request.get('/api/account/credit', { headers: origin })).status()).not.toBe(200)
      const verifier = { cookie: `${session.cookie}; ${session.cookie.split('=')[0]}-code-verifier=%22a%22` }
      await request.get('/auth/callback?code=1', { headers: verifier })
      await request.get('/auth/confirm?type=email&token_hash=1', {
        headers: {
          cookie: `auth-flow=${Buffer.from('{"returnPath":"/","email":"a@b.test"}').toString('base64url')}`,
        },
      })
      await request.post('/auth/sign-out', { headers: origin, data: 'scope=global' })
    })
  }
  expect(canary.visits).toEqual([])
  const paths = redirectedPaths().join('\n')
  for (const path of [
    'POST /v1/chat/completions',
    'POST /v1/images/generations',
    'POST /api/v1/stores/',
    'GET /api/v1/stores/',
    'POST /v1/checkout/sessions',
    'GET /v1/checkout/sessions/',
    'GET /auth/v1/.well-known/jwks.json',
    'POST /auth/v1/token',
    'POST /auth/v1/verify',
    'POST /auth/v1/logout',
  ])
    expect(paths).toContain(path)
})

test('redirects by a payments host or a list of models are not followed', async () => {
  const { creditId } = await createAccount(request, 0)
  const headers = { authorization: `Bearer ${creditId}` }
  const host = await through(site.app.baseUrl)
  const models = await through(site.upstream.baseUrl)
  const front: AppProcess = await startApp({
    dataDirectory: `${site.directory}-front`,
    upstreamBaseUrl: models,
    environment: { SANDBOX: '0', PAYMENTS_HOST: host, PAYMENTS_HOST_TOKEN: HOST_TOKEN },
  })
  try {
    for (const status of STATUSES) {
      await whileRedirected(status, async () => {
        const ask = (path: string, init: RequestInit = {}) =>
          fetch(front.baseUrl + path, { headers, ...init })
        const answers = await Promise.all([
          ask(`/api/payments/account/${creditId}/credit`),
          ask('/keys'),
          ask('/queries/history'),
          ask('/accounts/create', { method: 'POST', headers: {} }),
          ask('/topup/create/btc-lightning', { method: 'POST', body: '{"amount":1}' }),
          ask('/topup/payment-methods'),
          ask('/v1/models'),
        ])
        const believed = answers.filter(answer => answer.ok && !answer.url.endsWith('/v1/models'))
        expect(believed.map(({ url }) => url)).toEqual([])
      })
    }
    expect(canary.visits).toEqual([])
    const paths = redirectedPaths().join('\n')
    for (const path of [
      'GET /v1/models',
      'GET /api/payments/account/',
      'POST /api/ledger/',
      'POST /api/payments-host/',
    ])
      expect(paths).toContain(path)
  } finally {
    await front.stop()
  }
})

async function chat(headers: Record<string, string>, stream: boolean): Promise<number> {
  const messages = [{ role: 'user', content: 'Hello' }]
  const data = { model: 'standin/small', messages, max_tokens: 5, stream }
  return (await request.post('/v1/chat/completions', { headers, data })).status()
}

async function drawPicture(headers: Record<string, string>): Promise<number> {
  const data = { model: 'standin/painter', prompt: 'A coin' }
  return (await request.post('/v1/images/generations', { headers, data })).status()
}

async function deliver(
  gateway: string,
  { rawBody, headers }: { rawBody: string; headers: object },
): Promise<number> {
  const response = await request.post(`/topup/webhooks/${gateway}`, {
    headers: { ...headers },
    data: rawBody,
  })
  return response.status()
}
