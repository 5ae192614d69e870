import { createHmac, randomUUID } from 'node:crypto'
import { type APIRequestContext, request as apiRequest } from '@playwright/test'
import { hashOf } from '@/lib/ledger/testing'
import { createAccount } from '@/test/support/account'
import {
  CRON_SECRET,
  type FullSite,
  HOST_TOKEN,
  ownPage,
  sessionCookie,
  startFullSite,
} from '@/test/support/full-site'
import { checkLedger } from '@/test/support/run-script'
import { expect, test } from '@/test/support/test'
import { hostQuestions } from './host-questions'
import { type Body, EMPTY_BODIES, faultOf, hostileVariants, JSON_TYPE, WRONG_BODIES } from './hostile-bodies'

/** Everything that is off in fuzz.spec.ts is on here, and every credential is valid. */
let site: FullSite
let request: APIRequestContext

test.beforeAll(async () => {
  site = await startFullSite()
  request = await apiRequest.newContext({ baseURL: site.app.baseUrl })
})
test.afterEach(async () => {
  expect((await request.get('/v1/models')).status()).toBe(200)
  // No response was an internal error, and no failure went unreported.
  expect(site.app.output()).not.toMatch(/internal error|unhandled|uncaught/i)
})
test.afterAll(async () => {
  await request.dispose()
  await site.app.stop()
  const books = await checkLedger(site.directory)
  await site.stop()
  expect(books).toMatchObject({ exitCode: 0 })
})

interface Attempt extends Body {
  path: string
  headers?: Record<string, string>
  method?: string
}

/** Sends several requests at a time, since sending thousands one by one would take a minute. */
const PARALLEL_COUNT = 8

interface Result {
  attempt: Attempt
  status: number
  text: string
}

async function sendAll(attempts: readonly Attempt[]): Promise<Result[]> {
  const results: Result[] = []
  const waiting = [...attempts]
  const worker = async () => {
    for (let attempt = waiting.pop(); attempt !== undefined; attempt = waiting.pop()) {
      const { path, headers, method = 'POST', type = JSON_TYPE, text } = attempt
      const response = await fetch(site.app.baseUrl + path, {
        method,
        headers: { 'content-type': type, ...headers },
        body: method === 'GET' ? undefined : Buffer.from(text),
        redirect: 'manual',
      })
      results.push({ attempt, status: response.status, text: await response.text() })
    }
  }
  await Promise.all(Array.from({ length: PARALLEL_COUNT }, worker))
  return results
}

/** Sends all attempts and describes every faulty response. */
async function faultsOf(attempts: readonly Attempt[]): Promise<string[]> {
  const results = await sendAll(attempts)
  return results.flatMap(({ attempt, ...answer }) => {
    const audience = /^\/api\/(ledger|payments-host)\//.test(attempt.path) ? 'deployment' : 'public'
    const fault = faultOf(answer, audience)
    return fault ? [`${attempt.path.slice(0, 80)}, ${attempt.name}: ${fault.slice(0, 200)}`] : []
  })
}

const allBodies = [...WRONG_BODIES, ...EMPTY_BODIES]

test('correctly signed webhooks with hostile bodies cause no internal error', async () => {
  const invoice = { type: 'InvoiceSettled', storeId: site.btcpay.settings.storeId, invoiceId: randomUUID() }
  const attempts: Attempt[] = [...allBodies, ...hostileVariants(invoice)].map(body => ({
    ...body,
    path: '/topup/webhooks/btcpay',
    headers: { 'btcpay-sig': `sha256=${hmac(site.btcpay.settings.webhookSecret, Buffer.from(body.text))}` },
  }))
  const object = {
    id: 'cs_1',
    payment_intent: 'pi_1',
    amount: 1,
    amount_refunded: 1,
    currency: 'usd',
    status: 'won',
  }
  for (const type of [
    'checkout.session.completed',
    'charge.refunded',
    'charge.dispute.created',
    'charge.dispute.closed',
    'of no known kind',
  ]) {
    const event = { id: 'evt_1', object: 'event', type, data: { object } }
    for (const body of [...allBodies, ...hostileVariants(event)]) {
      const at = Math.floor(Date.now() / 1000)
      const signed = Buffer.concat([Buffer.from(`${at}.`), Buffer.from(body.text)])
      const signature = `t=${at},v1=${hmac(site.stripe.settings.webhookSecret, signed)}`
      attempts.push({ ...body, path: '/topup/webhooks/stripe', headers: { 'stripe-signature': signature } })
    }
  }
  expect(await faultsOf(attempts)).toEqual([])
})

test('webhooks and cron calls with a missing or invalid signature or token get 401', async () => {
  const odd = [
    '',
    'sha256=',
    `sha256=${'0'.repeat(64)}`,
    't=,v1=',
    `t=1e999,v1=${'0'.repeat(64)}`,
    't=NaN',
    '\u00ff',
  ]
  const proofs = odd.flatMap(value =>
    ['btcpay-sig', 'stripe-signature', 'authorization'].map(name => ({ [name]: value })),
  )
  const paths = ['/topup/webhooks/btcpay', '/topup/webhooks/stripe', '/api/cron/reconcile']
  const results = await sendAll(
    paths.flatMap(path =>
      [{}, ...proofs].flatMap(headers => allBodies.map(body => ({ ...body, path, headers }))),
    ),
  )
  const accepted = results.filter(({ status }) => status !== 401)
  expect(accepted.map(({ attempt, status }) => `${status} ${attempt.path} ${attempt.name}`)).toEqual([])
})

test('authorized cron calls with hostile bodies and queries cause no internal error', async () => {
  const headers = { authorization: `Bearer ${CRON_SECRET}` }
  const attempts = allBodies.flatMap(body => [
    { ...body, path: '/api/cron/reconcile', headers },
    { ...body, path: '/api/cron/reconcile?limit=%00', headers, method: 'GET' },
  ])
  expect(await faultsOf(attempts)).toEqual([])
})

test('hostile bodies, query parameters and cookies in the sign-in routes cause no internal error', async () => {
  const cookie = await sessionCookie(site)
  const { creditId } = await createAccount(request, 0)
  const begin = { return_path: '/account', email: 'ada@example.com' }
  const link = { credit_id: creditId, replaces: null }
  const oddCookies = [
    '',
    '%',
    '%00',
    'e30',
    'base64-',
    'base64-e30',
    'base64-W10',
    'base64-bnVsbA',
    'x'.repeat(5_000),
  ]
  const parameters = ['code', 'error', 'error_code', 'token_hash', 'type', 'next', 'redirect_to']
  const oddValues = ['', '%00', '%ff', '%ED%A0%80', '__proto__', 'constructor', 'x'.repeat(4_000)]
  const name = cookie.split('=')[0]
  const attempts: Attempt[] = [
    ...[...allBodies, ...hostileVariants(begin)].map(body => ({
      ...body,
      path: '/auth/begin',
      headers: ownPage(site),
    })),
    ...['/auth/sign-out', '/auth/complete'].flatMap(path =>
      allBodies.map(body => ({ ...body, path, headers: ownPage(site) })),
    ),
    ...[...allBodies, ...hostileVariants(link)].map(body => ({
      ...body,
      path: '/api/account/credit',
      headers: { ...ownPage(site), cookie },
    })),
    ...['/auth/callback', '/auth/confirm'].flatMap(path =>
      parameters.flatMap(parameter =>
        oddValues.map(value => ({
          name: '',
          text: '',
          method: 'GET',
          path: `${path}?type=email&${parameter}=${value}`,
        })),
      ),
    ),
    ...oddCookies.flatMap(value =>
      [
        '/api/account/credit',
        '/auth/callback?code=1',
        '/auth/confirm?type=email&token_hash=1',
        '/account',
      ].map(path => ({
        name: `cookies ${value.slice(0, 20)}`,
        text: '',
        method: 'GET',
        path,
        headers: { ...ownPage(site), cookie: `${name}=${value}; ${name}.0=${value}; auth-flow=${value}` },
      })),
    ),
  ]
  expect(await faultsOf(attempts)).toEqual([])
})

test('hostile bodies from another deployment to the ledger and payments routes cause no internal error', async () => {
  const headers = { authorization: `Bearer ${HOST_TOKEN}` }
  const ask = async (path: string, data: object) => {
    const response = await request.post(path, { headers, data })
    expect(response.status(), path).toBe(200)
    return response.json()
  }
  const creditIdHash = hashOf(randomUUID())
  const { accountId, firstKeyId: keyId } = await ask('/api/ledger/createAccount', {
    creditIdHash,
    firstKey: { secretHash: hashOf(randomUUID()), hint: 'abcd' },
    attribution: null,
  })
  const { invoice } = await ask('/api/payments-host/createInvoice', {
    accountId,
    methodId: 'btc-lightning',
    amount: '1',
    currency: 'USD',
    siteUrl: 'https://site.test',
  })
  const questions = hostQuestions({ accountId, creditIdHash, keyId, invoiceId: invoice.invoiceId })
  for (const { path, body } of questions) await ask(path, body)
  const attempts = questions.flatMap(({ path, body }) =>
    [...allBodies, ...hostileVariants(body)].map(variant => ({ ...variant, path, headers })),
  )
  expect(await faultsOf(attempts)).toEqual([])
})

function hmac(secret: string, data: Buffer): string {
  return createHmac('sha256', secret).update(data).digest('hex')
}
