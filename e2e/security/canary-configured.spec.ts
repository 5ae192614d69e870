import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { startAnalytics } from '@/test/stand-ins/analytics'
import { startStandInElevenLabs } from '@/test/stand-ins/elevenlabs'
import { type ErrorReportsServer, startErrorReportsServer } from '@/test/stand-ins/error-reports'
import { type Manner, type RecordingProxy, startRecordingProxy } from '@/test/stand-ins/recording-proxy'
import { startStandInUpstream } from '@/test/stand-ins/upstream'
import { STAND_IN_MODELS } from '@/test/stand-ins/upstream-models'
import { startWalletStandIn } from '@/test/stand-ins/wallet'
import { type AppProcess, startApp } from '@/test/support/app-process'
import { dumpTables, filesContaining, withEmbeddedDatabase } from '@/test/support/embedded-directory'
import { type FullSite, sessionCookie, startFullSite } from '@/test/support/full-site'
import { expect, test } from '@/test/support/test'
import { browse } from './canary-browser'
import {
  type Call,
  mistakes,
  otherCalls,
  pages,
  paidCalls,
  type Visitor,
  wrongAddresses,
} from './canary-calls'
import { createSecrets, type SecretName } from './canary-secrets'

/** Settings that everybody may know, or that are no secret. */
const PUBLIC_SETTINGS =
  `PORT SITE_URL APP_NAME OPERATOR_NAME TERMS_FILE PRIVACY_FILE TERMS_TEXT PRIVACY_TEXT TERMS_TEXT_DE
  TRUSTED_PROXY_COUNT SANDBOX DATA_DIR UPSTREAM_BASE_URL UPSTREAMS_FILE ELEVENLABS_BASE_URL MODEL_PRICES_FILE
  MODEL_PRICES_TEXT PRICE_MARKUP CURATED_MODELS BTCPAY_URL BTCPAY_STORE_ID STRIPE_API_BASE TOPUP_BONUS PAYMENTS_HOST
  NEXT_PUBLIC_SUPABASE_URL NEXT_PUBLIC_SUPABASE_PUBLISHABLE_KEY NEXT_PUBLIC_SUPABASE_ANON_KEY GOOGLE_CLIENT_ID
  AUTH_PROVIDER_PARAMETERS AUTH_CAPTCHA_FRAME_URL SENTRY_DSN GA_MEASUREMENT_ID GA_COLLECT_URL ANALYTICS_FRAME_URL
  SUPPORT_WIDGET_URL SUPPORT_WIDGET_TOKEN LOG_LEVEL LOG_FORMAT NODE_OPTIONS`.split(/\s+/)
/** Of a database of the operator's own, which is not here. */
const UNTRIED_SETTINGS = ['DATABASE_URL', 'DATABASE_DIRECT_URL']

/**
 * Of what is sampled, every tenth is taken. The signal makes the process fail as a library does that throws where nobody
 * can catch.
 */
const PRELOADED = `
  let drawn = 0
  Math.random = () => (drawn++ % 10 === 0 ? 0.05 : 0.5)
  process.on('SIGUSR2', () => {
    const { PAYMENTS_HOST_TOKEN, UPSTREAM_API_KEY } = process.env
    const headers = { authorization: 'Bearer ' + PAYMENTS_HOST_TOKEN }
    const cause = Object.assign(new Error('Bearer ' + UPSTREAM_API_KEY), { headers })
    Promise.reject(new Error('payment failed', { cause }))
  })`

const secrets = createSecrets()
const proxies: RecordingProxy[] = []
const mayReceive = new Map<string, readonly SecretName[]>()
const stops: (() => Promise<unknown>)[] = []
let site: FullSite
/** Keeps no money of its own: the other deployment does. */
let front: AppProcess
let frontDirectory: string
let reports: ErrorReportsServer

async function through(target: string): Promise<string> {
  const proxy = await startRecordingProxy(target)
  proxies.push(proxy)
  stops.push(proxy.stop)
  return proxy.url
}

test.beforeAll(async () => {
  const [elevenLabs, second, analytics, wallet] = await Promise.all([
    startStandInElevenLabs('key-of-the-stand-in-of-elevenlabs'),
    startStandInUpstream({ models: [{ ...STAND_IN_MODELS[0], id: 'second/small' }] }),
    startAnalytics(),
    startWalletStandIn(),
  ])
  reports = await startErrorReportsServer()
  stops.push(elevenLabs.close, second.close, analytics.stop, wallet.stop, reports.stop)
  const secondUrl = await through(second.baseUrl)
  const rateUrl = await through(analytics.collectUrl.replace('/g/collect', '/rate'))
  const furtherUpstreams = [{ id: 'second', base_url: secondUrl, api_key: 'key-of-the-second-upstream' }]
  site = await startFullSite(through, {
    LOG_LEVEL: 'debug',
    UPSTREAM_API_KEY: 'key-of-the-first-upstream',
    OPENROUTER_API_KEY: 'key-of-an-upstream-that-is-not-asked',
    UPSTREAMS_TEXT: JSON.stringify(furtherUpstreams),
    ELEVENLABS_API_KEY: elevenLabs.apiKey,
    ELEVENLABS_BASE_URL: await through(elevenLabs.baseUrl),
    NWC_URL: wallet.nwcUrl,
    BTC_RATE_URL: `${rateUrl}?key=key-of-the-source-of-rates`,
    RECEIPT_KEY: randomBytes(32).toString('base64'),
    METRICS_TOKEN: 'the metrics token of the end-to-end tests',
    SENTRY_DSN: reports.dsn,
    GA_MEASUREMENT_ID: 'G-CANARY',
    GA_COLLECT_URL: await through(analytics.collectUrl),
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(PRELOADED)}`,
  })
  const { environment } = site
  site.auth.state.options.issuer = `${environment.NEXT_PUBLIC_SUPABASE_URL}/auth/v1`
  frontDirectory = `${site.directory}-front`
  front = await startApp({
    dataDirectory: frontDirectory,
    upstreamBaseUrl: await through(site.upstream.baseUrl),
    environment: { ...environment, SANDBOX: '0', PAYMENTS_HOST: await through(site.app.baseUrl) },
  })
  for (const [name, value] of Object.entries(environment))
    if (!PUBLIC_SETTINGS.includes(name)) secrets.add(name as Uppercase<string>, value)
  secrets.add('UPSTREAMS_TEXT', 'key-of-the-second-upstream')
  secrets.add('BTC_RATE_URL', 'key-of-the-source-of-rates')
  secrets.add('NWC_URL', new URL(wallet.nwcUrl).searchParams.get('secret') ?? '')
  for (const [target, names] of [
    [site.upstream.baseUrl, ['UPSTREAM_API_KEY']],
    [second.baseUrl, ['UPSTREAMS_TEXT']],
    [elevenLabs.baseUrl, ['ELEVENLABS_API_KEY']],
    [analytics.collectUrl.replace('/g/collect', '/rate'), ['BTC_RATE_URL']],
    [site.btcpay.url, ['BTCPAY_API_KEY']],
    [site.stripe.url, ['STRIPE_SECRET_KEY']],
    [site.auth.state.options.url, ['access token', 'refresh token', 'email', 'API key']],
    [site.app.baseUrl, ['PAYMENTS_HOST_TOKEN']],
  ] as const)
    mayReceive.set(target, names)
})
test.afterAll(async () => {
  await front?.stop()
  await site?.stop()
  await Promise.all(stops.map(stop => stop()))
  rmSync(frontDirectory, { recursive: true, force: true })
})

test('every setting in the README is known to be a secret or not', () => {
  const rows = readFileSync('README.md', 'utf8').match(/^\| +`[A-Z].*?\|/gm) ?? []
  const named = rows.flatMap(row => [...row.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name))
  const known = [...PUBLIC_SETTINGS, ...UNTRIED_SETTINGS, ...Object.keys(site.environment)]
  expect(named.filter(name => !known.includes(name))).toEqual([])
  expect(named.length).toBeGreaterThan(50)
})

test('secrets are told to nobody but those whom they are for, whatever fails', async ({ browser }) => {
  const atHost = await visit(site.app.baseUrl)
  const atFront = await visit(front.baseUrl)
  const told: string[] = []
  const sendAll = (visitor: Visitor, calls: readonly Call[]) => sendInTurn(visitor, calls, told)
  const askEverybody = async () => {
    await sendAll(atHost, [...paidCalls(atHost), ...otherCalls(atHost)])
    await sendAll(atFront, [...paidCalls(atFront).slice(0, 2), ...otherCalls(atFront)])
  }

  const answers = [
    ...(await sendAll(atHost, [...paidCalls(atHost), ...otherCalls(atHost), ...pages(atHost)])),
    ...(await sendAll(atFront, [...paidCalls(atFront), ...otherCalls(atFront), ...pages(atFront)])),
  ]
  // None is refused for a mistake of this test, which a busy machine would not excuse.
  expect(answers.filter(answer => /^4(?!01|29)/.test(answer))).toEqual([])
  expect(answers).toContain('200 POST /v1/audio/transcriptions')
  told.push(
    ...(await browse(browser, {
      visitor: atFront,
      secrets,
      authUrl: site.environment.NEXT_PUBLIC_SUPABASE_URL ?? '',
    })),
  )
  for (const manner of FAILURES) {
    for (const proxy of proxies) proxy.behave(manner)
    await askEverybody()
  }
  for (const proxy of proxies) proxy.behave('pass')
  await sendAll(atHost, [...mistakes(atHost), ...wrongAddresses(atHost)])
  await sendAll(atFront, mistakes(atFront))
  await withoutTables(askEverybody)
  for (const { pid } of [site.app, front]) process.kill(pid, 'SIGUSR2')
  const failures = () => reports.received.filter(({ text }) => text.includes('payment failed'))
  await expect.poll(() => failures().length).toBeGreaterThan(1)
  const metrics = { authorization: `Bearer ${site.environment.METRICS_TOKEN}` }
  const counted = await sendAll(atHost, [{ method: 'GET', path: '/api/metrics', headers: metrics }])
  expect(counted).toEqual(['200 GET /api/metrics'])
  await killWhileWaiting(atHost)
  await front.stop()

  expect(told).toEqual([])
  for (const app of [site.app, front]) {
    expect(app.output()).toContain('unhandledRejection: Error: payment failed')
    expect(
      app
        .output()
        .split('\n')
        .filter(line => secrets.leaksIn(line).length > 0),
    ).toEqual([])
  }
  const reported = reports.received.map(
    ({ address, headers, text }) => `${address} ${JSON.stringify(headers)} ${text}`,
  )
  expect(reported.filter(text => secrets.leaksIn(text).length > 0)).toEqual([])
  for (const { target, calls } of proxies) {
    expect(calls.length, target).toBeGreaterThan(0)
    // The specification's call has the credit in its path.
    const sent = calls.filter(({ name }) => !/^GET \/api\/payments\/account\/[^/]+\/credit$/.test(name))
    expect(
      sent.flatMap(({ text }) => secrets.leaksIn(text, mayReceive.get(target))),
      target,
    ).toEqual([])
  }
  for (const directory of [site.directory, frontDirectory]) {
    const dump = await dumpTables(directory)
    expect(dump).toMatch(/^schema_migration /m)
    expect(secrets.leaksIn(dump)).toEqual([])
    expect(dump).not.toContain('canary question')
    expect(filesContaining(directory, ...secrets.values())).toEqual([])
  }
})

/** How the services fail, each with what it was sent in its answer. */
const FAILURES: readonly Manner[] = [
  { echo: 400 },
  { echo: 500 },
  { echo: 200 },
  { echo: 200, as: 'events' },
  'break',
]
/** More at once would have a busy machine answer that it is busy. */
const PARALLEL_COUNT = 4

async function sendInTurn({ baseUrl }: Visitor, calls: readonly Call[], told: string[]): Promise<string[]> {
  const waiting = [...calls]
  const answers: string[] = []
  const worker = async () => {
    for (let call = waiting.pop(); call !== undefined; call = waiting.pop()) {
      const { method, path, headers, body, tells } = call
      const response = await fetch(baseUrl + path, { method, headers, body, redirect: 'manual' })
      const text = [...response.headers].map(header => header.join(': ')).join('\n') + (await response.text())
      const leaks = secrets.leaksIn(text, tells)
      if (leaks.length > 0) told.push(`${method} ${path}: ${response.status} tells ${leaks.join(', ')}`)
      answers.push(`${response.status} ${method} ${path}`)
    }
  }
  await Promise.all(Array.from({ length: PARALLEL_COUNT }, worker))
  return answers
}

/** Opens an account with ten dollars and a refill link, and signs in. */
async function visit(baseUrl: string): Promise<Visitor> {
  const post = async (path: string, headers: Record<string, string>, body: object) => {
    const response = await fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) })
    return response.json()
  }
  const { credit_id: creditId, api_key: apiKey } = await post('/accounts/create', {}, {})
  const headers = { authorization: `Bearer ${creditId}` }
  const { token: refillToken } = await post('/topup/refill/link', headers, {})
  const { invoice_id: invoiceId } = await post('/topup/create/btc-lightning', headers, { amount: 10 })
  site.btcpay.newestInvoice().pay(100n, true)
  const status = await fetch(`${baseUrl}/topup/status/${invoiceId}`, { headers })
  expect(await status.json()).toMatchObject({ status: 'Settled' })
  const cookie = await sessionCookie(site)
  const session = JSON.parse(Buffer.from(cookie.replace(/^.*?=base64-/, ''), 'base64url').toString())
  secrets.add('credit_id', creditId)
  secrets.add('API key', apiKey)
  secrets.add('refill token', refillToken)
  secrets.add('access token', session.access_token)
  secrets.add('refresh token', session.refresh_token)
  secrets.add('email', session.user.email)
  return { baseUrl, creditId, apiKey, refillToken, cookie }
}

/** Meanwhile most questions about money fail in the database. */
async function withoutTables(work: () => Promise<void>): Promise<void> {
  const rename = (from: string, to: string) =>
    ['account', 'invoice'].map(table => `alter table ${table}${from} rename to ${table}${to};`).join(' ')
  await withEmbeddedDatabase(site.directory, async database => {
    await database.query(rename('', '_away'))
    await work()
    await database.query(rename('_away', ''))
  })
}

/** Services take requests and do not answer. Some are given up, and the process dies with the others. */
async function killWhileWaiting({ creditId, apiKey, baseUrl }: Visitor): Promise<void> {
  const post = (path: string, secret: string, body: object) =>
    fetch(baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}` },
      body: JSON.stringify(body),
    })
  const order = await post('/topup/create/btc-lightning', creditId, { amount: 10 })
  const { invoice_id: invoiceId } = await order.json()
  for (const proxy of proxies) proxy.behave('silence')
  const messages = [{ role: 'user', content: 'A canary question' }]
  const headers = { authorization: `Bearer ${creditId}` }
  const running = post('/v1/chat/completions', apiKey, { model: 'standin/small', messages, stream: true })
  const lost = running.then(response => response.text()).catch(error => error)
  const answers = await Promise.all([
    fetch(`${baseUrl}/topup/status/${invoiceId}`, { headers }),
    fetch(`${front.baseUrl}/keys`, { headers }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 503])
  await site.app.kill()
  await lost
}
