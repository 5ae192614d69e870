import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { routing } from '@/lib/i18n/routing'
import { startAnalytics } from '@/test/stand-ins/analytics'
import { ANALYTICS_PAGE, startFramePage } from '@/test/stand-ins/frame-page'
import { type AppProcess, startApp } from '@/test/support/app-process'
import { UPSTREAM_PORT } from '@/test/support/ports'
import { expect, test } from '@/test/support/test'

const SITE = 'https://tuppence.test'
const CANARY = '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01'

let directory: string
let app: AppProcess
let analytics: Awaited<ReturnType<typeof startAnalytics>>

test.beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tuppence-views-'))
  analytics = await startAnalytics()
  app = await startApp({
    dataDirectory: directory,
    upstreamBaseUrl: `http://127.0.0.1:${UPSTREAM_PORT}/v1`,
    environment: { GA_MEASUREMENT_ID: 'G-TEST123', GA_COLLECT_URL: analytics.collectUrl, SITE_URL: SITE },
  })
})
test.afterAll(async () => {
  await app.stop()
  await analytics.stop()
  rmSync(directory, { recursive: true, force: true })
})
test.beforeEach(() => {
  analytics.hits.length = 0
})

const views = () => analytics.hits.filter(({ parameters }) => parameters.en === 'page_view')
const viewedAddresses = () => views().map(({ parameters }) => parameters.dl)

test('every route change sends a page view with the language prefix and without the query', async ({
  page,
}) => {
  const foreign: string[] = []
  page.on('request', request => {
    if (!request.url().startsWith(`${app.baseUrl}/`)) foreign.push(request.url())
  })
  await page.goto(`${app.baseUrl}/?utm_source=mail&credit=${CANARY}#${CANARY}`)
  await expect.poll(viewedAddresses).toEqual([`${SITE}/`])
  const seen = [`${SITE}/`]
  for (const [name, path] of [
    ['Pricing', '/pricing'],
    ['Account', '/account'],
  ] as const) {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
    seen.push(`${SITE}${path}`)
    await expect.poll(viewedAddresses).toEqual(seen)
  }
  for (const locale of routing.locales.filter(name => name !== routing.defaultLocale)) {
    await page.goto(`${app.baseUrl}/${locale}/pricing?x=${CANARY}`)
    seen.push(`${SITE}/${locale}/pricing`)
    await expect.poll(viewedAddresses).toEqual(seen)
  }
  // The last language is stored, so this page is in Italian too.
  await page.goto(`${app.baseUrl}/it/${CANARY}?x=1`)
  await expect.poll(viewedAddresses).toEqual([...seen, `${SITE}/it/other`])
  expect(foreign).toEqual([])
  const first = views()[0]
  expect(first).toMatchObject({ method: 'POST', path: '/g/collect', text: '' })
  expect(first?.parameters).toMatchObject({ v: '2', tid: 'G-TEST123', npa: '1', _ss: '1', _s: '1' })
})

test('page views contain no cookie, IP address, user agent or credit', async ({ page, context }) => {
  await context.addCookies([{ name: 'sb-test', value: 'canary-cookie', url: app.baseUrl }])
  await page.setExtraHTTPHeaders({ 'x-forwarded-for': '198.51.100.7', 'x-canary': 'canary-header' })
  await page.goto(`${app.baseUrl}/pricing`)
  await page.evaluate(id => localStorage.setItem('credit_id', id), CANARY)
  await expect.poll(viewedAddresses).toEqual([`${SITE}/pricing`])
  await page.goto(`${app.baseUrl}/account`)
  await expect.poll(viewedAddresses).toEqual([`${SITE}/pricing`, `${SITE}/account`])
  const sent = JSON.stringify(analytics.hits)
  const userAgent = await page.evaluate(() => navigator.userAgent)
  for (const secret of ['canary', CANARY, CANARY.slice(0, 8), '198.51.100.7', userAgent, 'Chrome'])
    expect(sent).not.toContain(secret)
  // Two visits, since the id of a visit is not stored in the browser.
  expect(new Set(views().map(({ parameters }) => parameters.cid)).size).toBe(2)
  expect((await context.cookies()).map(({ name }) => name)).not.toContain('_ga')
})

test('web vitals are sent with ratings when the page is left', async ({ page }) => {
  await page.goto(`${app.baseUrl}/fr/pricing`)
  // Web vitals are observed once the page view is sent.
  await expect.poll(viewedAddresses).toEqual([`${SITE}/fr/pricing`])
  await page.getByRole('searchbox').or(page.getByRole('textbox')).first().click()
  await page.goto('about:blank')
  const vitals = () =>
    analytics.hits.filter(
      ({ parameters }) => parameters.en === 'web_vitals' && parameters.dl === `${SITE}/fr/pricing`,
    )
  await expect.poll(() => vitals().map(hit => hit.parameters['ep.metric_name'])).toContain('LCP')
  for (const { parameters } of vitals()) {
    expect(parameters['ep.metric_rating']).toMatch(/^(good|needs-improvement|poor)$/)
    expect(Number(parameters['epn.metric_value'])).toBeGreaterThanOrEqual(0)
  }
})

test('no page view is sent for a browser with Global Privacy Control', async ({ page }) => {
  await page.setExtraHTTPHeaders({ 'sec-gpc': '1' })
  const answered = page.waitForResponse(response => response.url().endsWith('/api/telemetry'))
  await page.goto(`${app.baseUrl}/pricing`)
  expect((await answered).status()).toBe(204)
  await page.setExtraHTTPHeaders({})
  await page.goto(`${app.baseUrl}/account`)
  await expect.poll(viewedAddresses).toEqual([`${SITE}/account`])
})

test('the framed analytics tag is loaded only with consent, receives page views, and consent can be withdrawn', async ({
  page,
}) => {
  const tag = await startFramePage(ANALYTICS_PAGE)
  const { host } = new URL(tag.url)
  const framed = await startApp({
    dataDirectory: join(directory, 'framed'),
    upstreamBaseUrl: `http://127.0.0.1:${UPSTREAM_PORT}/v1`,
    environment: { ANALYTICS_FRAME_URL: `${tag.url}/tag` },
  })
  try {
    await page.goto(`${framed.baseUrl}/pricing`)
    await expect(page.getByText(`May ${host} count which pages you open here?`)).toBeVisible()
    expect(tag.requests).toEqual([])
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    const messages = page.frameLocator('iframe').locator('li')
    await expect(messages).toHaveText([`page_view ${framed.baseUrl}/pricing`])
    expect(tag.requests).toEqual([{ address: '/tag', referrer: undefined, cookie: undefined }])

    await page.goto(`${framed.baseUrl}/account`)
    await expect(messages).toHaveText([`page_view ${framed.baseUrl}/account`])
    const consent = page.getByRole('switch', { name: `Let ${host} count the pages you open` })
    await expect(consent).toBeChecked()
    await consent.uncheck()
    await expect(page.locator('iframe')).toHaveCount(0)
    tag.requests.length = 0
    await page.reload()
    await expect(consent).not.toBeChecked()
    await page.waitForLoadState('networkidle')
    expect(tag.requests).toEqual([])
    await consent.check()
    await expect(messages).toHaveText([`page_view ${framed.baseUrl}/account`])
  } finally {
    await framed.stop()
    await tag.stop()
  }
})

test.describe('the route for page views refuses', () => {
  const own = () => ({ origin: app.baseUrl, 'sec-fetch-site': 'same-origin' })
  const view = { type: 'page_view', path: '/', count: 1 }
  const body = { visit: 1, started_at: 1, events: [view] }
  /** Only the hits of this test; pages of earlier tests may still report theirs. */
  const ownHits = () => analytics.hits.filter(({ parameters }) => parameters.cid === '1.1')
  const post = (page: Page, data: unknown, headers: Record<string, string> = own()) =>
    page.request.post(`${app.baseUrl}/api/telemetry`, { data: JSON.stringify(data), headers })

  test('requests that were not sent by a page of this site', async ({ page }) => {
    const refused: Record<string, string>[] = [
      {},
      { origin: 'https://evil.test' },
      { origin: 'null', 'sec-fetch-site': 'same-origin' },
      { ...own(), 'sec-fetch-site': 'cross-site' },
      { ...own(), 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of refused) expect((await post(page, body, headers)).status()).toBe(403)
    expect((await post(page, body)).status()).toBe(204)
    await expect.poll(() => ownHits().length).toBe(1)
  })

  test('malformed and large bodies', async ({ page }) => {
    const wrong: unknown[] = [
      null,
      [],
      {},
      { ...body, visit: 0 },
      { ...body, visit: 1.5 },
      { ...body, visit: '1' },
      { ...body, started_at: 2 ** 40 },
      { ...body, more: 1 },
      { ...body, events: [] },
      { ...body, events: Array(9).fill(view) },
      { ...body, events: [{ ...view, path: 'https://evil.test' }] },
      { ...body, events: [{ ...view, path: `/${'a'.repeat(600)}` }] },
      { ...body, events: [{ ...view, dl: 'x' }] },
      { ...body, events: [{ ...view, type: 'purchase' }] },
      { ...body, events: [{ type: 'vital', path: '/', name: 'LCP', value: -1 }] },
      { ...body, events: [{ type: 'vital', path: '/', name: 'XYZ', value: 1 }] },
    ]
    for (const data of wrong) expect((await post(page, data)).status(), JSON.stringify(data)).toBe(400)
    expect((await post(page, { ...body, more: 'a'.repeat(9_000) })).status()).toBe(413)
    expect(ownHits()).toEqual([])
  })
})
