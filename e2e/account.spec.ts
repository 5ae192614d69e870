import type { APIRequestContext, Page } from '@playwright/test'
import { routing } from '@/lib/i18n/routing'
import { startWalletStandIn } from '@/test/stand-ins/wallet'
import { accessibilityViolations } from '@/test/support/axe'
import { messagesIn } from '@/test/support/messages'
import { expect, test } from '@/test/support/test'

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** Asks one question through the API, so that there is a call to list. */
async function ask(request: APIRequestContext, credential: string, content = 'Hello') {
  const { data: models } = await (await request.get('/v1/models?type=chat')).json()
  return request.post('/v1/chat/completions', {
    headers: { authorization: `Bearer ${credential}` },
    data: { model: models[0].id, messages: [{ role: 'user', content }] },
  })
}

test('an API key can be created, is shown only once, works for a call, and is refused once revoked @phone', async ({
  page,
  request,
  funded: _funded,
}) => {
  await page.goto('/account')
  const keys = section(page, 'API keys')
  await keys.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Editor')
  const limit = dialog.getByRole('textbox', { name: 'Limit in US dollars' })
  await limit.fill('0')
  await dialog.getByRole('button', { name: 'Create key' }).press('Enter')
  await expect(limit).toBeFocused()
  // The field must be scrolled out from under the dialog's sticky head.
  const isSeen = (field: Element) => {
    const { x, y } = field.getBoundingClientRect()
    return document.elementFromPoint(x + 20, y + 2) === field
  }
  await expect.poll(() => limit.evaluate(isSeen)).toBe(true)
  await limit.fill('0.50')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const secret = await dialog.getByRole('textbox', { name: 'API key' }).inputValue()
  expect(secret).toMatch(/^sk-/)
  await expect(dialog.getByText(secret)).toHaveCount(0)
  await dialog.getByRole('switch', { name: 'Fill in this key' }).click()
  await expect(dialog.getByText(secret).first()).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog.getByText('Copy it first')).toBeVisible()
  await dialog.getByRole('button', { name: 'I have saved it' }).click()
  await expect(keys.getByRole('meter', { name: 'Limit of Editor' })).toBeVisible()
  expect(await page.content()).not.toContain(secret)

  expect((await ask(request, secret)).status()).toBe(200)
  await keys.getByRole('button', { name: 'Revoke Editor' }).click()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await expect(keys.getByText('1 revoked key')).toBeVisible()
  expect((await ask(request, secret)).status()).toBe(401)
})

test('a call appears in the usage list, its price is explained, and the list can be downloaded as CSV', async ({
  page,
  request,
  funded,
}) => {
  await ask(request, funded.apiKey)
  await page.goto('/account')
  const usage = section(page, 'Usage')
  await usage.getByRole('button', { name: /why this cost/i }).click()
  const dialog = page.getByRole('dialog', { name: 'Why this cost?' })
  await expect(dialog.getByText('Held at first')).toBeVisible()
  await expect(dialog.getByText(/tokens at \$/).first()).toBeVisible()
  expect(await accessibilityViolations(page)).toEqual([])
  await page.keyboard.press('Escape')
  const downloading = page.waitForEvent('download')
  await usage.getByRole('button', { name: 'Download as CSV' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('usage.csv')
  expect(download.url()).toMatch(/^blob:/)
})

test('with text at twice its size, the calls fit a phone, and are a table all the same', async ({
  page,
  request,
  funded,
}) => {
  await ask(request, funded.apiKey)
  await page.setViewportSize({ width: 360, height: 740 })
  for (const locale of ['de', 'fr'] as const) {
    const { usage } = messagesIn(locale)
    await page.goto(`/${locale}/account`)
    const calls = page.getByRole('table', { name: usage.calls })
    await expect(calls.getByRole('button')).toBeVisible()
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%'
    })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await expect(calls.getByRole('columnheader')).toHaveText([usage.call, usage.tokens, usage.price])
    await expect(calls.getByRole('cell')).toHaveCount(2)
  }
})

test('with text at twice its size, the dialogs of a call and of a key fit a phone', async ({
  page,
  request,
  funded,
}) => {
  await ask(request, funded.apiKey)
  await page.setViewportSize({ width: 360, height: 740 })
  for (const locale of ['de', 'it'] as const) {
    const { common, keys, usage } = messagesIn(locale)
    await page.goto(`/${locale}/account`)
    const dialog = page.getByRole('dialog')
    const opensKey = page.getByRole('button', { name: keys.create })
    const opensCall = page.getByRole('table', { name: usage.calls }).getByRole('button')
    for (const [opener, shown] of [
      [opensKey, dialog.getByRole('textbox', { name: common.name })],
      [opensCall, dialog.getByRole('table')],
    ] as const) {
      await opener.click()
      await expect(shown).toBeVisible()
      await page.evaluate(() => {
        document.documentElement.style.fontSize = '200%'
      })
      expect(await dialog.evaluate(({ scrollWidth }) => scrollWidth)).toBe(360)
      await page.keyboard.press('Escape')
    }
  }
})

test('the 12 words restore the credit in another browser', async ({ page, browser, baseURL, funded }) => {
  await page.goto('/account')
  const carry = section(page, 'Carry your credit')
  await carry.getByRole('button', { name: 'Show the 12 words' }).click()
  const words = carry.getByRole('list', { name: 'The 12 words, in order' }).getByRole('listitem')
  await expect(words).toHaveCount(12)
  const text = (await words.allTextContents()).join(' ')
  expect(await accessibilityViolations(page)).toEqual([])

  const other = await browser.newContext({ baseURL })
  const otherPage = await other.newPage()
  await otherPage.goto('/account')
  await otherPage.getByRole('textbox', { name: '12 words or credit key' }).fill(text)
  await otherPage.getByRole('button', { name: 'Restore' }).click()
  await expect(otherPage.getByText('Credit restored.')).toBeVisible()
  await expect(otherPage.getByRole('status', { name: 'Balance' })).toContainText('$1')
  expect(await otherPage.evaluate(() => localStorage.getItem('credit_id'))).toBe(funded.creditId)
  await other.close()
})

test('a leaked credit is replaced by one whose words are shown first, and a lost connection loses nothing @phone', async ({
  page,
  request,
  funded,
  balance,
}) => {
  const other = await page.context().newPage()
  await other.goto('/pricing')
  await page.goto('/account')
  const leaked = section(page, 'Replace this credit')
  await leaked.getByRole('button', { name: 'Replace this credit' }).click()
  await expect(leaked.getByRole('heading', { name: 'Your new credit is ready.' })).toBeFocused()
  await page.reload()
  // The same one: nothing that was written down is worthless.
  const words = leaked.getByRole('list', { name: 'The 12 words, in order' }).getByRole('listitem')
  await expect(words).toHaveCount(12)
  const text = (await words.allTextContents()).join(' ')
  expect(await balance(funded)).toBe(1)
  expect(await accessibilityViolations(page)).toEqual([])

  await page.context().route('**/accounts/merge', route => route.abort())
  await leaked.getByRole('button', { name: 'Move $1.00 now' }).click()
  await expect(leaked.getByText('No connection to the server.')).toBeVisible()
  await page.context().unroute('**/accounts/merge')
  await page.reload()
  // Every page goes on by itself.
  await expect(page.getByRole('status', { name: 'Balance' })).toContainText('$1')
  await expect(other.getByRole('status', { name: 'Balance' })).toContainText('$1')
  const creditId = await page.evaluate(() => localStorage.getItem('credit_id'))
  expect(creditId).not.toBe(funded.creditId)
  // Whoever else has the old one has nothing.
  for (const secret of [funded.creditId, funded.apiKey])
    expect((await ask(request, secret)).status()).toBe(401)
  const carry = section(page, 'Carry your credit')
  await carry.getByRole('button', { name: 'Show the 12 words' }).click()
  const shown = carry.getByRole('list', { name: 'The 12 words, in order' }).getByRole('listitem')
  await expect(shown).toHaveCount(12)
  expect((await shown.allTextContents()).join(' ')).toBe(text)
})

test('a connected wallet tops up automatically only when the balance is low, and pays an invoice once unlocked', async ({
  page,
  request,
  funded,
  balance,
}) => {
  const invoiceIds = new Map<string, string>()
  const paid: string[] = []
  const wallet = await startWalletStandIn({
    payInvoice: async invoice => {
      paid.push(invoice)
      await request.post(`/topup/sandbox/${invoiceIds.get(invoice)}/pay`, { data: { fraction: 1 } })
      return { preimage: '0'.repeat(64) }
    },
  })
  await page.route('**/topup/create/*', async route => {
    const response = await route.fetch()
    const invoice = await response.json()
    invoiceIds.set(invoice.lightning_invoice, invoice.invoice_id)
    await route.fulfill({ response })
  })
  await page.goto('/account')
  const own = section(page, 'Your own wallet')
  await own.getByLabel('Connection from your wallet').fill(wallet.nwcUrl)
  await own.getByLabel('Passphrase').fill('correct horse battery')
  await own.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(own.getByText('unlocked in this tab')).toBeVisible()
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage }))
  expect(stored).not.toContain(new URL(wallet.nwcUrl).searchParams.get('secret'))

  await own.getByLabel('When the balance is below').fill('50')
  await own.getByLabel('Add, in US dollars').fill('50')
  await own.getByLabel('At most in 24 hours').fill('120')
  await own.getByRole('switch', { name: 'Ask me each time' }).click()
  await own.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('status').getByRole('button', { name: 'Add $50' }).first().click()
  await expect(page.getByText('Added $50.00 from your wallet. In 24 hours: $50.00 of $120.00.')).toBeVisible()
  expect(paid).toHaveLength(1)
  expect(await balance(funded)).toBeGreaterThan(50)
  expect(await accessibilityViolations(page)).toEqual([])

  // After a new page load the wallet is locked again. It does not pay automatically while the balance is sufficient.
  await page.goto('/top-up')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Pay from my wallet' }).click()
  const dialog = page.getByRole('dialog', { name: 'Unlock your wallet' })
  await dialog.getByLabel('Passphrase').fill('correct horse batterie')
  await dialog.getByRole('button', { name: 'Unlock' }).click()
  await expect(dialog.getByText('does not open it')).toBeVisible()
  await dialog.getByLabel('Passphrase').fill('correct horse battery')
  await page.keyboard.press('Enter')
  await expect(page.getByText('$5.00 added')).toBeVisible()
  expect(paid).toHaveLength(2)
  await wallet.stop()
})

test('the refill link lets another person pay in without revealing the credit, and can be revoked', async ({
  page,
  browser,
  baseURL,
  funded,
}) => {
  await page.goto('/account')
  const refill = section(page, 'Refill link')
  await refill.getByRole('button', { name: 'Create link' }).click()
  const address = await refill.getByRole('textbox', { name: 'Refill link' }).inputValue()

  const giver = await browser.newContext({ baseURL })
  const giverPage = await giver.newPage()
  const seen: string[] = []
  giverPage.on('request', request => seen.push(request.url()))
  await giverPage.goto(address)
  // Nothing on the page tops up the giver's own credit.
  await expect(giverPage.getByRole('link', { name: 'Top up' })).toHaveCount(0)
  await giverPage.getByRole('button', { name: 'Continue' }).click()
  expect(await accessibilityViolations(giverPage)).toEqual([])
  await giverPage.getByRole('button', { name: /sandbox/i }).click()
  await expect(giverPage.getByText('$5.00 added')).toBeVisible()
  expect(await giverPage.content()).not.toContain(funded.creditId)
  const token = new URL(address).hash.slice(1)
  expect(
    seen.filter(url => new URL(url).pathname.includes(token) || new URL(url).search.includes(token)),
  ).toEqual([])
  expect(await giverPage.evaluate(() => localStorage.getItem('credit_id'))).toBeNull()
  await giver.close()

  await page.reload()
  await expect(page.getByRole('status', { name: 'Balance' })).toContainText('$6')
  await refill.getByRole('button', { name: 'Revoke link' }).click()
  const question = page.getByRole('dialog', { name: 'Revoke this link?' })
  expect(await accessibilityViolations(page)).toEqual([])
  await question.getByRole('button', { name: 'Revoke link' }).click()
  await expect(refill.getByRole('button', { name: 'Create link' })).toBeVisible()
})

test('an address with the anchor of a section focuses it and keeps it in view while sections above load', async ({
  page,
  funded: _funded,
}) => {
  await page.goto('/account#settings')
  const heading = page.getByRole('heading', { name: 'Settings', level: 2 })
  await expect(heading).toBeFocused()
  await expect(section(page, 'API keys').getByRole('listitem')).toHaveCount(1)
  await expect(section(page, 'Usage').getByText('No calls in this period')).toBeAttached()
  await expect(heading).toBeInViewport()
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the account page with a credit has no axe violations in ${colorScheme} @phone`, async ({
    page,
    request,
    funded,
  }) => {
    await ask(request, funded.apiKey)
    await page.emulateMedia({ colorScheme })
    await page.goto('/account')
    await expect(section(page, 'Usage').getByRole('button', { name: /why this cost/i })).toBeVisible()
    await expect(section(page, 'API keys').getByRole('listitem')).toHaveCount(1)
    expect(await accessibilityViolations(page)).toEqual([])
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
  })
}

test('with a wallet extension in the browser, the button that pays with it is the main action', async ({
  page,
  funded: _funded,
}) => {
  await page.addInitScript(() => {
    Object.assign(window, { webln: { enable: async () => {}, sendPayment: async () => {} } })
  })
  // A sandbox invoice would show its own payment button instead.
  await page.route(/\/topup\/(create|status)\//, async route => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), sandbox: false } })
  })
  await page.goto('/top-up')
  await page.getByRole('button', { name: 'Continue' }).click()
  const own = page.getByRole('button', { name: 'Pay from this browser’s wallet' })
  const other = page.getByRole('link', { name: 'Open in wallet' })
  const filling = (element: Element) => getComputedStyle(element).backgroundColor
  expect(await own.evaluate(filling)).not.toBe(await other.evaluate(filling))
  const [above, below] = [await own.boundingBox(), await other.boundingBox()]
  expect((below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0)).toBeLessThan(12)
})

test('a key’s name, and what it has spent of its limit, are not wider than a phone in any language', async ({
  page,
  request,
  funded,
}) => {
  const created = await request.post('/keys', {
    headers: { authorization: `Bearer ${funded.creditId}` },
    data: { label: `Editor_${'W'.repeat(50)}`, usage_limit_usd: 1000, reset_period: 'weekly' },
  })
  await ask(request, (await created.json()).api_key)
  await page.setViewportSize({ width: 320, height: 568 })
  for (const locale of routing.locales) {
    await page.goto(`/${locale}/account`)
    for (const place of ['#keys', '#usage td, #usage th'])
      await expect(page.locator(place).getByText('Editor').first()).toBeVisible()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  }
})

test('the account page does not overflow a phone’s width while its sections load', async ({
  page,
  funded: _funded,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  // These requests are never answered, so the sections keep loading.
  await page.route(/\/(keys|queries)(\?|\/|$)/, () => {})
  await page.goto('/account')
  await expect(section(page, 'API keys').locator('[aria-hidden]').first()).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})
