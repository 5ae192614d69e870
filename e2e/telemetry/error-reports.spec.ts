import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Page, request } from '@playwright/test'
import { z } from 'zod'
import { type ErrorReportsServer, startErrorReportsServer } from '@/test/stand-ins/error-reports'
import { type StandInUpstream, startStandInUpstream } from '@/test/stand-ins/upstream'
import { createAccount, type TestAccount } from '@/test/support/account'
import { type AppProcess, startApp } from '@/test/support/app-process'
import { expect, test } from '@/test/support/test'
import { ask } from '../local-data/browser-store'

/** A credit in local storage that the server does not know, so that each call with it is refused. */
const UNKNOWN_CREDIT = '7c0ffee0-5d3c-4a53-9d5c-2f1d5f3f6a01'
/** Every random number is below one in ten, so everything that is sampled is taken. */
const LUCKY = 'Math.random = () => 0.05'
const UNLUCKY = 'Math.random = () => 0.5'

/** Secrets that an error may contain, and that must not be in any report. */
const SECRETS = {
  creditId: '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01',
  apiKey: 'sk-CANARYkey000000000000000000001',
  refillToken: 'rf-CANARYrefill0000000000000000001',
  token: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJDQU5BUlkifQ.CANARYsignature',
  wallet: 'nostr+walletconnect://c0ffee?relay=wss://relay.test&secret=CANARYwallet',
  email: 'canary.person@example.com',
  bearer: 'Bearer CANARYbearer',
  query: 'https://pay.test/return?state=CANARYstate#CANARYfragment',
}
const TRACES = ['canary', SECRETS.creditId.slice(9), UNKNOWN_CREDIT.slice(9), 'c0ffee?']

let directory: string
let app: AppProcess
let upstream: StandInUpstream
let reports: ErrorReportsServer

test.beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tuppence-reports-'))
  reports = await startErrorReportsServer()
  upstream = await startStandInUpstream()
  app = await startApp({
    dataDirectory: directory,
    upstreamBaseUrl: upstream.baseUrl,
    environment: {
      SENTRY_DSN: reports.dsn,
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(LUCKY)}`,
    },
  })
})
test.afterAll(async () => {
  await app.stop()
  await upstream.close()
  await reports.stop()
  rmSync(directory, { recursive: true, force: true })
})
test.beforeEach(() => {
  reports.received.length = 0
})

/** The parts of a report that the tests check. */
const reportSchema = z.object({
  platform: z.string(),
  level: z.string().default(''),
  message: z.string().optional(),
  tags: z.record(z.string(), z.unknown()).default({}),
  exception: z.object({ values: z.array(z.object({ type: z.string(), value: z.string() })) }).optional(),
  breadcrumbs: z
    .array(z.object({ category: z.string(), data: z.record(z.string(), z.unknown()).optional() }))
    .optional(),
})
type Report = z.infer<typeof reportSchema>

const reported = (platform: 'javascript' | 'node') =>
  reports
    .items('event')
    .map(item => reportSchema.parse(item))
    .filter(report => report.platform === platform)
const textOf = ({ message, exception }: Report) =>
  [message, ...(exception?.values ?? []).map(({ value }) => value)].join(' ')
const find = (platform: 'javascript' | 'node', text: string) =>
  reported(platform).find(report => textOf(report).includes(text))

/** Throws in the page, as the page's own code would. */
const throwInPage = (page: Page, name: string, message: string) =>
  page.evaluate(
    ([name, message]) => {
      setTimeout(() => {
        const error = new Error(message)
        error.name = name ?? ''
        throw error
      })
    },
    [name, message],
  )

/** Opens a page and waits until error reports are on, which is when the first one has arrived. */
async function openReportingPage(page: Page, path: string, draw = LUCKY): Promise<void> {
  await page.addInitScript(draw)
  await page.addInitScript(() => {
    addEventListener('load', () => {
      throw new Error('Payment page: an early error')
    })
  })
  await page.goto(`${app.baseUrl}${path}`)
  await expect.poll(() => find('javascript', 'an early error')).toBeDefined()
}

/** Creates an account with a dollar at the site that reports. */
async function newAccount(): Promise<TestAccount> {
  const context = await request.newContext({ baseURL: app.baseUrl })
  try {
    return await createAccount(context, 1)
  } finally {
    await context.dispose()
  }
}

test('an error thrown before the SDK has loaded is reported with the flow of its page', async ({ page }) => {
  await openReportingPage(page, '/de/account?credit_id=canary#canary')
  expect(find('javascript', 'an early error')).toMatchObject({
    level: 'error',
    tags: { flow: 'account' },
    exception: { values: [{ type: 'Error', value: 'Payment page: an early error' }] },
  })
})

test('a failed API call is reported with its flow, endpoint, status and level, and with breadcrumbs of earlier calls', async ({
  page,
}) => {
  await page.addInitScript(id => localStorage.setItem('credit_id', id), UNKNOWN_CREDIT)
  await openReportingPage(page, '/account')
  await expect.poll(() => find('javascript', '/credit: 404 Not Found')).toBeDefined()
  const refused = find('javascript', '/credit: 404 Not Found')
  expect(refused).toMatchObject({
    level: 'warning',
    tags: {
      flow: 'account',
      endpoint: '/api/payments/account/{id}/credit',
      status: '404',
      credit: UNKNOWN_CREDIT.slice(0, 8),
    },
  })
  await expect
    .poll(() => find('javascript', '401 Unauthorized'))
    .toMatchObject({ level: 'warning', tags: { status: '401' } })

  await throwInPage(page, 'Error', 'Wallet: after the calls')
  await expect.poll(() => find('javascript', 'after the calls')).toBeDefined()
  const crumbs = find('javascript', 'after the calls')?.breadcrumbs ?? []
  expect(crumbs.filter(({ category }) => category === 'api').map(({ data }) => data)).toContainEqual({
    method: 'GET',
    endpoint: '/api/payments/account/{id}/credit',
    status: 404,
  })
})

test('an API response of 500 or above is reported as an error by both the browser and the server', async ({
  page,
}) => {
  const { creditId } = await newAccount()
  upstream.setScript({ chat: { status: 500, body: { error: { message: SECRETS.apiKey } } } })
  await page.addInitScript(id => localStorage.setItem('credit_id', id), creditId)
  await openReportingPage(page, '/')
  await ask(page, 'A canary question')
  const tags = { flow: 'chat', endpoint: '/v1/chat/completions', status: '502' }
  for (const platform of ['javascript', 'node'] as const) {
    await expect
      .poll(() => reported(platform).find(({ tags }) => tags.status === '502'))
      .toMatchObject({ level: 'error', tags })
  }
  upstream.setScript({})
  expectNoTrace([...TRACES, creditId.slice(9)])
})

test('aborts, failed chunk loads and script errors are never reported, whatever their message', async ({
  page,
}) => {
  await openReportingPage(page, '/pricing')
  await throwInPage(page, 'AbortError', 'payment: the user aborted a request')
  await throwInPage(page, 'ChunkLoadError', 'payment: Failed to load chunk /_next/static/chunks/a.js')
  await throwInPage(page, 'Error', 'Script error.')
  await page.evaluate(() => {
    const aborted = new AbortController()
    aborted.abort()
    void Promise.reject(aborted.signal.reason)
  })
  await throwInPage(page, 'Error', 'Invoice: the last one')
  await expect.poll(() => find('javascript', 'the last one')).toBeDefined()
  expect(
    reported('javascript')
      .map(textOf)
      .filter(text => /abort|chunk|script error/i.test(text)),
  ).toEqual([])
})

test('ordinary errors that are not sampled are not reported', async ({ page }) => {
  await openReportingPage(page, '/pricing', UNLUCKY)
  await throwInPage(page, 'TypeError', 'x is not a function')
  await throwInPage(page, 'Error', 'Lightning: the last one')
  await expect.poll(() => find('javascript', 'the last one')).toBeDefined()
  expect(find('javascript', 'not a function')).toBeUndefined()
  expect(reports.items('transaction').filter(({ platform }) => platform === 'javascript')).toEqual([])
})

test('no error report contains a secret, wherever the secret occurs in the error', async ({ page }) => {
  const account = await newAccount()
  await page.addInitScript(
    ([creditId, secrets]) => {
      localStorage.setItem('credit_id', String(creditId))
      localStorage.setItem('secrets', String(secrets))
    },
    [account.creditId, JSON.stringify(SECRETS)],
  )
  await page.context().addCookies([{ name: 'session', value: 'CANARYcookie', url: app.baseUrl }])
  await openReportingPage(page, `/top-up?token=CANARYquery&credit=${SECRETS.creditId}#${SECRETS.refillToken}`)
  for (const [name, secret] of Object.entries(SECRETS)) {
    await throwInPage(page, 'Error', `Payment with ${secret} failed`)
    await throwInPage(page, secret, `Invoice of "${secret}"`)
    await page.evaluate(
      ([name, text]) => {
        console.error(`console ${name} ${text}`)
        history.pushState(null, '', `/top-up?${name}=${encodeURIComponent(String(text))}#${text}`)
        const cause = new Error(`caused by ${text}`)
        setTimeout(() => {
          throw Object.assign(new Error(`Wallet refused ${name}`, { cause }), {
            authorization: text,
            extra: { text },
          })
        })
      },
      [name, secret] as const,
    )
  }
  await page.getByRole('button').first().click({ trial: true })
  await throwInPage(page, 'Error', 'Credit: the last one')
  await expect.poll(() => find('javascript', 'the last one')).toBeDefined()
  // Makes the server report too, with the same secrets in a request that fails.
  upstream.setScript({ chat: { status: 500, body: { error: { message: JSON.stringify(SECRETS) } } } })
  await page.request.post(`${app.baseUrl}/v1/chat/completions?token=CANARYquery`, {
    headers: {
      authorization: `Bearer ${account.creditId}`,
      cookie: 'session=CANARYcookie',
      referer: `${app.baseUrl}/top-up?token=CANARYquery`,
      'x-canary': 'CANARYheader',
    },
    data: { model: 'standin/small', messages: [{ role: 'user', content: `CANARY ${SECRETS.email}` }] },
  })
  await expect
    .poll(() => reported('node').find(({ tags }) => tags.status === '502'))
    .toMatchObject({
      tags: { flow: 'payment' },
    })
  upstream.setScript({})
  expect(reported('javascript').length).toBeGreaterThan(20)
  expectNoTrace([...TRACES, account.creditId.slice(9), account.apiKey, 'A canary'])
  for (const { headers } of reports.received) {
    expect(headers.referer).toBeUndefined()
    expect(headers.cookie).toBeUndefined()
  }
})

test('page loads and requests are traced at a rate of 0.1, and named by their route pattern', async ({
  page,
}) => {
  await openReportingPage(page, '/pricing?token=canary')
  const names = (platform: string) =>
    reports
      .items('transaction')
      .filter(item => item.platform === platform)
      .map(({ transaction }) => transaction)
  await expect.poll(() => names('javascript')).toContain('/pricing')
  await expect.poll(() => names('node')).toContain('GET /[locale]/pricing')
  const rates = reports.received.map(({ text }) => /"sample_rate":"([^"]+)"/.exec(text)?.[1]).filter(Boolean)
  expect(new Set(rates)).toEqual(new Set(['0.1']))
  expectNoTrace(TRACES)
})

test('the browser contacts only the collector, and the SDK loads after the page', async ({ page }) => {
  const addresses: string[] = []
  const scripts: { address: string; text: Promise<string> }[] = []
  page.on('request', request => addresses.push(request.url()))
  page.on('response', response => {
    if (response.request().resourceType() !== 'script') return
    scripts.push({ address: response.url(), text: response.text().catch(() => '') })
  })
  let loadedCount = 0
  page.on('load', () => {
    loadedCount = scripts.length
  })
  await openReportingPage(page, '/pricing')
  const foreign = () =>
    addresses.filter(address => !address.startsWith(`${app.baseUrl}/`) && !address.startsWith('data:'))
  await expect.poll(() => foreign().length).toBeGreaterThan(0)
  expect(foreign().filter(address => !address.startsWith(`${reports.origin}/`))).toEqual([])
  const withSdk = await Promise.all(
    scripts.map(async ({ text }, index) => ((await text).includes('__SENTRY__') ? index : -1)),
  )
  const first = Math.min(...withSdk.filter(index => index >= 0))
  expect(first).toBeGreaterThanOrEqual(loadedCount)
})

function expectNoTrace(traces: readonly string[]): void {
  expect(reports.received.length).toBeGreaterThan(0)
  for (const { text, address, headers } of reports.received) {
    const everything = `${address} ${JSON.stringify(headers)} ${text}`.toLowerCase()
    for (const trace of traces) expect(everything).not.toContain(trace.toLowerCase())
  }
}
