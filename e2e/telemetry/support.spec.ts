import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FramePage, SUPPORT_PAGE, startFramePage } from '@/test/stand-ins/frame-page'
import { type AppProcess, startApp } from '@/test/support/app-process'
import { accessibilityViolations } from '@/test/support/axe'
import { UPSTREAM_PORT } from '@/test/support/ports'
import { expect, test } from '@/test/support/test'

const CANARY = '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01'

let directory: string
let app: AppProcess
let widget: FramePage

test.beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tuppence-support-'))
  widget = await startFramePage(SUPPORT_PAGE)
  app = await startApp({
    dataDirectory: directory,
    upstreamBaseUrl: `http://127.0.0.1:${UPSTREAM_PORT}/v1`,
    environment: { SUPPORT_WIDGET_URL: widget.url, SUPPORT_WIDGET_TOKEN: 'public-token' },
  })
})
test.afterAll(async () => {
  await app.stop()
  await widget.stop()
  rmSync(directory, { recursive: true, force: true })
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the help widget loads on hover and opens on a click, without axe violations in ${colorScheme} @phone`, async ({
    page,
  }) => {
    widget.requests.length = 0
    await page.emulateMedia({ colorScheme })
    await page.goto(`${app.baseUrl}/pricing`)
    const button = page.getByRole('button', { name: 'Help', exact: true })
    await expect(button).toBeVisible()
    await page.waitForLoadState('networkidle')
    expect(widget.requests).toEqual([])
    await button.hover()
    await expect.poll(() => widget.requests.length).toBe(1)
    await expect(page.locator('iframe')).toBeHidden()
    expect(await accessibilityViolations(page)).toEqual([])
    await button.click()
    const dialog = page.getByRole('dialog', { name: 'Help from Tuppence' })
    await expect(dialog).toContainText(new URL(widget.url).host)
    const frame = page.frameLocator('iframe[title="Support chat"]')
    await expect(frame.getByRole('heading', { name: 'How can we help?' })).toBeVisible()
    expect(await accessibilityViolations(page)).toEqual([])
    expect(widget.requests).toEqual([
      { address: '/widget?website_token=public-token', referrer: undefined, cookie: undefined },
    ])
  })
}

test('the help widget can be opened and closed with the keyboard, and focus returns to its button', async ({
  page,
}) => {
  await page.goto(`${app.baseUrl}/pricing`)
  const button = page.getByRole('button', { name: 'Help', exact: true })
  const dialog = page.getByRole('dialog', { name: 'Help from Tuppence' })
  await button.focus()
  await page.keyboard.press('Enter')
  await expect(dialog).toBeVisible()
  await expect(button).toHaveAttribute('aria-expanded', 'true')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(button).toBeFocused()
  await page.keyboard.press('Space')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(button).toBeFocused()
})

test('the help widget cannot read the page’s data or address, and cannot navigate the page', async ({
  page,
}) => {
  await page.goto(`${app.baseUrl}/pricing`)
  await page.evaluate(id => localStorage.setItem('credit_id', id), CANARY)
  await page.getByRole('button', { name: 'Help', exact: true }).click()
  const frame = page.frameLocator('iframe[title="Support chat"]')
  await expect(frame.getByText('referrer: none')).toBeVisible()
  await expect(frame.getByText('storage: refused')).toBeVisible()
  await expect(frame.getByText('top: refused')).toBeVisible()
  await expect(page).toHaveURL(`${app.baseUrl}/pricing`)
  const policy = (await page.request.get(`${app.baseUrl}/`)).headers()['content-security-policy'] ?? ''
  expect(policy).toContain(`frame-src 'self' ${widget.url};`)
  expect(policy).toContain("connect-src 'self';")
  expect(JSON.stringify(widget.requests)).not.toContain(CANARY.slice(9))
})

test('no script of the help widget runs in the page', async ({ page }) => {
  const scripts: string[] = []
  page.on('request', request => {
    if (request.resourceType() === 'script') scripts.push(request.url())
  })
  await page.goto(`${app.baseUrl}/`)
  await page.getByRole('button', { name: 'Help', exact: true }).click()
  await expect(page.frameLocator('iframe').getByRole('heading')).toBeVisible()
  expect(scripts.length).toBeGreaterThan(0)
  expect(scripts.filter(address => !address.startsWith(`${app.baseUrl}/`))).toEqual([])
})
