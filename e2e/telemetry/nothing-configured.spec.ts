import { PAGES } from '@/lib/telemetry/page-address'
import { expect, test } from '@/test/support/test'

/** Strings that each library's code contains even if minified. */
const LIBRARIES = ['__SENTRY__', '_vercel/insights', '_vercel/speed-insights', 'largest-contentful-paint']

test('with no telemetry configured, no third party is contacted and no telemetry code is loaded', async ({
  page,
  baseURL,
}) => {
  const addresses: string[] = []
  const scripts: Promise<string>[] = []
  page.on('request', request => addresses.push(request.url()))
  page.on('response', response => {
    if (response.request().resourceType() === 'script') scripts.push(response.text().catch(() => ''))
  })
  for (const path of ['/', ...PAGES, '/de', '/no-such-page']) {
    await page.goto(path, { waitUntil: 'networkidle' })
    // Error reports would start when the page is idle.
    await page.evaluate(() => new Promise(resolve => requestIdleCallback(resolve)))
    await page.evaluate(() => setTimeout(() => Promise.reject(new Error('Payment failed'))))
    await expect(page.locator('meta[name="error-reports"]')).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Help', exact: true })).toHaveCount(0)
    await expect(page.locator('iframe')).toHaveCount(0)
  }
  await page.waitForLoadState('networkidle')
  const foreign = addresses.filter(
    address => !address.startsWith(`${baseURL}/`) && !address.startsWith('data:'),
  )
  expect(foreign).toEqual([])
  expect(addresses.filter(address => address.includes('/api/telemetry'))).toEqual([])
  const texts = await Promise.all(scripts)
  expect(texts.length).toBeGreaterThan(5)
  for (const word of LIBRARIES)
    expect(
      texts.filter(text => text.includes(word)),
      word,
    ).toEqual([])
})

test('with no telemetry configured, the route for page views does not exist', async ({ request }) => {
  const response = await request.post('/api/telemetry', { data: {} })
  expect(response.status()).toBe(404)
})

test('with no telemetry configured, the content security policy lets pages connect only to this site', async ({
  request,
}) => {
  const policy = (await request.get('/')).headers()['content-security-policy'] ?? ''
  expect(policy).toContain("connect-src 'self';")
  expect(policy).toContain("frame-src 'self';")
  expect((await request.get('/')).headers()['document-policy']).toBeUndefined()
})
