import type { Page } from '@playwright/test'
import { routing } from '@/lib/i18n/routing'
import { PAGES } from '@/lib/telemetry/page-address'
import { accessibilityViolations } from '@/test/support/axe'
import { messagesIn } from '@/test/support/messages'
import { expect, test } from '@/test/support/test'

/** For tests from outside, which find these pages by them. */
const HEADINGS: Readonly<Record<string, string>> = {
  '/top-up': 'Top up',
  '/pricing': 'Pricing',
  '/account': 'Account',
  '/privacy': 'Privacy',
  '/terms': 'Terms',
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const path of ['/', ...PAGES]) {
    test(`${path} has no axe violations in ${colorScheme}, and loads nothing from other sites @phone`, async ({
      page,
      baseURL,
    }) => {
      const foreign: string[] = []
      const violations: string[] = []
      page.on('request', request => {
        if (!request.url().startsWith(String(baseURL)) && !request.url().startsWith('data:'))
          foreign.push(request.url())
      })
      page.on('console', message => {
        if (/content security policy/i.test(message.text())) violations.push(message.text())
      })
      await page.emulateMedia({ colorScheme })
      await page.goto(path)
      if (path === '/') await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible()
      else await expect(page.getByRole('heading', { level: 1, name: HEADINGS[path] })).toBeVisible()
      // Whoever comes to pay for somebody else is not told of a balance.
      await expect(page.getByRole('status', { name: 'Balance' })).toBeVisible({ visible: path !== '/refill' })
      expect(await accessibilityViolations(page)).toEqual([])
      expect(foreign).toEqual([])
      expect(violations).toEqual([])
    })
  }
}

for (const locale of routing.locales.filter(each => each !== routing.defaultLocale)) {
  test(`the pages are in ${locale} and declare it`, async ({ page }) => {
    await page.goto(`/${locale}/pricing`)
    await expect(page.locator('html')).toHaveAttribute('lang', locale)
    await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('Pricing')
  })
}

for (const locale of routing.locales) {
  test(`the smallest phone shows the whole chat in ${locale}`, async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 568 })
    await page.goto(`/${locale}`)
    const send = page.locator('form button[type=submit]')
    await expect(send).toBeInViewport({ ratio: 1 })
    // In one row with the icons, of which the first gives its place to it.
    const attach = page.getByRole('textbox').locator('..').locator('button').nth(2)
    const rows = [send, attach].map(async button => {
      const box = await button.boundingBox()
      return box && Math.round(box.y + box.height / 2)
    })
    const [sendRow, iconRow] = await Promise.all(rows)
    expect(sendRow).toBe(iconRow)
    await expect(page.getByRole('button', { name: /^Prompts?$/ })).toHaveCount(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    await page.getByRole('banner').getByRole('button').first().click()
    // A long word beside an icon does not shrink it.
    const signs = page.locator('dialog[open] nav svg')
    await expect(signs.first()).toBeVisible()
    // The layout's width: the drawer may still be sliding in, which shifts edges by fractions of a pixel.
    const widths = await signs.evaluateAll(all =>
      all.map(sign => Number.parseFloat(getComputedStyle(sign).width)),
    )
    expect(new Set(widths)).toEqual(new Set([18]))
  })
}

test('a "not found" page has its title, and neither it nor another page makes failed requests', async ({
  page,
}) => {
  const errors: string[] = []
  page.on('console', message => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`)
  })
  await page.goto('/')
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible()
  await page.goto('/terms')
  await expect(page.getByRole('heading', { name: 'What you buy' })).toBeVisible()
  await page.goto('/nowhere')
  await expect(page).toHaveTitle(/^This page does not exist · /)
  await page.waitForLoadState('networkidle')
  // The page itself is what does not exist.
  expect(errors.filter(error => !error.endsWith('/nowhere'))).toEqual([])
})

test('a "not found" page works without JavaScript, in the language of its path', async ({
  browser,
  baseURL,
}) => {
  const context = await browser.newContext({ baseURL, javaScriptEnabled: false })
  const page = await context.newPage()
  expect((await page.goto('/de/nowhere/at/all'))?.status()).toBe(404)
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
  await expect(page.getByRole('heading', { name: 'Diese Seite gibt es nicht' })).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'Zum Chat' }).click()
  await expect(page).toHaveURL('/de')
  await context.close()
})

test('a malformed address gives people a "not found" page, and programs an error', async ({
  page,
  request,
}) => {
  for (const path of ['/de/c/%E0%A4%A', '/de/c/%25E0']) {
    expect((await page.goto(path))?.status()).toBe(404)
    await expect(page.getByRole('heading', { name: 'Diese Seite gibt es nicht' })).toBeVisible()
    expect((await request.get(path)).status()).toBe(400)
  }
  const headers = { accept: 'text/html' }
  for (const options of [{}, { headers }]) {
    const answer = await request.get('/v1/models/%E0%A4%A', options)
    expect(answer.status()).toBeGreaterThanOrEqual(400)
    expect((await answer.json()).error.type).toBe('invalid_request_error')
  }
})

test('the price list is complete without JavaScript', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL })
  const page = await context.newPage()
  await page.goto('/pricing')
  await expect(page.getByRole('table').first()).toContainText('Stand-in Small')
  await expect(page.getByText('standin/unpriced')).toHaveCount(0)
  // No placeholder waits for something that will never load.
  await expect(page.getByRole('status', { name: 'Balance' }).locator('[aria-hidden=true]')).toBeHidden()
  await context.close()
})

test('a page that does nothing without JavaScript says so there', async ({ browser, baseURL, page }) => {
  const note = /^Diese Seite braucht JavaScript/
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL })
  const still = await context.newPage()
  for (const path of ['/de', '/de/top-up', '/de/account', '/de/refill']) {
    await still.goto(path)
    await expect(still.getByText(note)).toBeVisible()
  }
  await still.goto('/de/pricing')
  await expect(still.getByRole('table').first()).toBeVisible()
  await expect(still.getByText(note)).toHaveCount(0)
  await context.close()
  await page.goto('/de/top-up')
  await expect(page.getByRole('button', { name: 'Weiter' })).toBeEnabled()
  await expect(page.getByText(note)).toHaveCount(0)
})

test('the headings of the price list stay in sight while its rows scroll', async ({ page }) => {
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 500 })
    await page.goto('/pricing')
    const chat = page.getByRole('table', { name: 'Chat' })
    await chat
      .getByRole('row')
      .last()
      .evaluate(row => row.scrollIntoView())
    await expect(chat.getByRole('row').nth(1)).not.toBeInViewport()
    await expect(chat.getByRole('columnheader', { name: 'Per message' })).toBeInViewport()
  }
})

test('with text at twice its size, amounts and buttons of one long word fit a phone', async ({
  page,
  funded: _funded,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  for (const [path, name] of [
    ['/de/top-up', messagesIn('de').topUp.continue],
    ['/de/account', messagesIn('de').credit.copyCreditId],
  ] as const) {
    await page.goto(path)
    await expect(page.getByRole('button', { name })).toBeVisible()
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%'
    })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  }
})

test('with text at twice its size, every page fits the narrowest phone in each language', async ({
  page,
  funded: _funded,
}) => {
  await page.setViewportSize({ width: 320, height: 568 })
  for (const locale of routing.locales) {
    const { settings, topUp } = messagesIn(locale)
    for (const [path, last] of [
      ['account', page.getByRole('group', { name: settings.speech })],
      ['top-up', page.getByText(topUp.methodDetail.card)],
      ['pricing', page.getByRole('table').first()],
      ['privacy', page.getByRole('heading', { level: 1 })],
      ['terms', page.getByRole('heading', { level: 1 })],
    ] as const) {
      await page.goto(`/${locale}/${path}`)
      await expect(last).toBeVisible()
      await page.evaluate(() => {
        document.documentElement.style.fontSize = '200%'
      })
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `/${locale}/${path}`).toBe(320)
      expect(await page.evaluate(partedShortWords), `/${locale}/${path}`).toEqual([])
    }
  }
})

test('with text at twice its size, the examples of an empty chat fit a phone in each language', async ({
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  for (const locale of routing.locales) {
    const { chat } = messagesIn(locale)
    await page.goto(`/${locale}`)
    // Its price is there once the models are.
    await expect(page.getByRole('button', { name: chat.examplePlan })).toContainText('≈')
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%'
    })
    const shown = page.getByRole('region', { name: chat.chat, exact: true })
    expect(await shown.evaluate(({ scrollWidth }) => scrollWidth)).toBe(360)
  }
})

test('in a low window a dialog is read from its beginning, although its first field is at its end', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1000, height: 400 })
  await page.goto('/privacy', { waitUntil: 'networkidle' })
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(dialog.getByText('New chat')).toBeInViewport()
  await expect(dialog.getByRole('heading')).toBeFocused()
})

test('a long word that no model matches makes the price list no wider than a phone', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 568 })
  await page.goto(`/pricing?q=${'y'.repeat(180)}`)
  await expect(page.getByText(/^No model matches/)).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
})

test('a page is printed as wide as its sheet, also where that is as wide as a window', async ({ page }) => {
  await page.goto('/pricing')
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('button', { name: 'New chat' })).toBeHidden()
  await expect(page.getByRole('searchbox')).toBeHidden()
  const width = async () => (await page.getByRole('table').first().boundingBox())?.width
  await expect.poll(width).toBeGreaterThan(600)
})

test('every page carries a nonce policy that no inline script passes', async ({ page }) => {
  const response = await page.goto('/')
  const policy = response?.headers()['content-security-policy'] ?? ''
  expect(policy).toMatch(/script-src[^;]*'nonce-/)
  expect(policy).not.toMatch(/script-src[^;]*'unsafe-inline'/)
  const ran = await page.evaluate(async () => {
    document.body.insertAdjacentHTML(
      'beforeend',
      '<script>window.injected = 1</script><img src="data:image/png;base64,broken" onerror="window.injected = 1"><a id="trap" href="javascript:window.injected = 1">x</a>',
    )
    const image = document.body.lastElementChild?.previousElementSibling
    await new Promise(resolve => image?.addEventListener('error', resolve, { once: true }))
    document.getElementById('trap')?.click()
    return 'injected' in window
  })
  expect(ran).toBe(false)
})

test('the manifest of the installed app is in the browser’s language', async ({ request }) => {
  const manifest = async (language: string) => {
    const answer = await request.get('/manifest.webmanifest', { headers: { 'accept-language': language } })
    expect(answer.headers().vary).toContain('Accept-Language')
    return answer.json()
  }
  expect(await manifest('de-CH,de;q=0.9,en;q=0.8')).toMatchObject({
    id: '/',
    lang: 'de',
    shortcuts: [
      { name: 'Preise', url: '/de/pricing' },
      { name: 'Aufladen', url: '/de/top-up' },
    ],
  })
  expect(await manifest('nl')).toMatchObject({ lang: 'en', shortcuts: [{ name: 'Pricing' }, {}] })
})

test('search engines may read the pages that ask not to be listed', async ({ request }) => {
  const robots = await (await request.get('/robots.txt')).text()
  const barred = [...robots.matchAll(/^Disallow: (\S+)$/gm)].map(([, path = '']) => path)
  expect(barred).toContain('/v1/')
  for (const path of ['/account', '/top-up', '/refill', '/c/some', '/de/account', '/de/c/some']) {
    expect(await (await request.get(path)).text()).toContain('<meta name="robots" content="noindex')
    const patterns = barred.map(start => new RegExp(`^${start.replaceAll('*', '.*')}`))
    expect(patterns.filter(pattern => pattern.test(path))).toEqual([])
  }
})

test('a failed request of a page is retried three times and then given up', async ({ page }) => {
  let askedCount = 0
  await page.clock.install()
  await page.route('**/topup/payment-methods', route => {
    askedCount += 1
    const error = { message: 'Away', type: 'server_error', code: 'internal_error', param: null }
    return route.fulfill({ status: 503, json: { error } })
  })
  await page.goto('/top-up')
  await expect.poll(() => askedCount).toBe(1)
  for (const count of [2, 3, 4]) {
    await page.clock.runFor(2 ** (count - 2) * 1_000)
    await expect.poll(() => askedCount).toBe(count)
  }
  await page.clock.runFor(10 * 60_000)
  // Requests of a page arrive in their order, so a fifth of its own would be counted before this one.
  await page.evaluate(async () => {
    await fetch('/topup/payment-methods')
  })
  expect(askedCount).toBe(5)
})

test('the form of the wallet has its room before its code runs', async ({
  page,
  browser,
  baseURL,
  viewport,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL, viewport })
  const before = await context.newPage()
  await before.goto('/account')
  await page.goto('/account')
  const [room, shown] = [before, page].map(at => at.getByRole('region', { name: 'Your own wallet' }))
  await expect(page.getByRole('textbox', { name: 'Passphrase' })).toBeVisible()
  await expect(before.getByRole('textbox', { name: 'Passphrase' })).toBeHidden()
  expect((await room?.boundingBox())?.height).toBe((await shown?.boundingBox())?.height)
  await context.close()
})

/** Sums up what moves without the person's doing, over all pages that the tab opens from now on. */
async function watchMoves(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const note = (list: PerformanceObserverEntryList) => {
      for (const entry of list.getEntries()) {
        const shift = Number(window.name) + ('value' in entry ? Number(entry.value) : 0)
        window.name = String(shift)
      }
    }
    new PerformanceObserver(note).observe({ type: 'layout-shift', buffered: true })
  })
}

async function moved(page: Page): Promise<number> {
  await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve))))
  return Number(await page.evaluate(() => window.name))
}

test('neither models with long names nor a credit move anything when they load', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await watchMoves(page)
  await page.route('**/v1/models?*', async route => {
    const response = await route.fetch()
    const { data, ...list } = await response.json()
    const named = data.map((model: { name: string }) => ({
      ...model,
      name: `${model.name}: a name that is longer than any line of a phone`,
    }))
    await route.fulfill({ response, json: { ...list, data: named } })
  })
  await page.goto('/de')
  await expect(page.getByRole('button', { name: /Kostenlos testen mit Stand-in Free: a name/ })).toBeVisible()
  await expect(page.getByRole('button', { name: /Wärmepumpe .*Cent/ })).toBeVisible()
  // Less than a thousandth is a fraction of a pixel.
  expect(await moved(page)).toBeLessThan(0.001)

  const last = { creditSegment: '5e9b2c1a', amountUsd: 1, atMs: Date.now() }
  await page.evaluate(balance => {
    localStorage.setItem('credit_id', '5e9b2c1a-0000-4000-8000-000000000000')
    localStorage.setItem('lastBalance', JSON.stringify(balance))
  }, last)
  await page.route('**/api/payments/account/*/credit', route => route.abort())
  await page.reload()
  await expect(page.getByText('Zum Beispiel')).toBeVisible()
  await expect(page.getByRole('status', { name: 'Guthaben' })).toContainText('1,00')
  expect(await moved(page)).toBeLessThan(0.001)
})

test('the chat does not move when it learns of a credit that this browser has never asked about', async ({
  page,
  funded: _funded,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.evaluate(() => localStorage.removeItem('lastBalance'))
  await watchMoves(page)
  await page.goto('/de')
  await expect(page.getByRole('status', { name: 'Guthaben' })).toContainText('1,00')
  await expect(page.getByRole('button', { name: /Wärmepumpe .*Cent/ })).toBeVisible()
  expect(await moved(page)).toBeLessThan(0.001)
})

test('the account page does not move when it learns whether there is a credit', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await watchMoves(page)
  const key = page.getByRole('textbox', { name: 'Dein Guthabenschlüssel' })
  await page.goto('/de/account')
  await expect(page.getByText('In diesem Browser gibt es noch kein Guthaben.')).toBeVisible()
  await expect(key).toHaveCount(0)
  expect(await moved(page)).toBeLessThan(0.001)

  const { credit_id: creditId } = await (await page.request.post('/accounts/create')).json()
  await page.evaluate(id => localStorage.setItem('credit_id', id), creditId)
  await page.reload()
  await expect(key).toHaveValue(creditId)
  await expect(page.getByRole('region', { name: 'Verbrauch' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Guthaben', exact: true }).getByRole('status')).toHaveText(
    '0,00 $',
  )
  expect(await moved(page)).toBeLessThan(0.001)

  for (const link of ['#refill', '#keys', '#usage']) {
    await page.goto('/de')
    await page.goto(`/de/account${link}`)
    await expect(page.getByRole('button', { name: 'Link erstellen' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Schlüssel erstellen' })).toBeVisible()
    await expect(page.getByText('Keine Anfragen in diesem Zeitraum.')).toBeVisible()
    expect(await moved(page)).toBeLessThan(0.001)
  }
})

test('the browser’s own bars have the colour of the chosen theme', async ({ page }) => {
  const colours = () =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLMetaElement>('[name=theme-color]')]
        .filter(({ media }) => window.matchMedia(media).matches)
        .map(({ content }) => content),
    )
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto('/account')
  await expect.poll(colours).toEqual(['#faf6ef'])
  await page.getByRole('combobox', { name: 'Theme' }).selectOption('Dark')
  await expect.poll(colours).toEqual(['#17130f'])
  await page.getByRole('link', { name: 'Pricing' }).click()
  await expect(page).toHaveURL('/pricing')
  await expect.poll(colours).toEqual(['#17130f'])
  await page.reload()
  await expect.poll(colours).toEqual(['#17130f'])
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(colours).toEqual(['#17130f'])
})

/** Words that any line has room for, but that go on in the next. */
function partedShortWords(): string[] {
  const parted: string[] = []
  for (const { firstChild: text } of document.querySelectorAll('label')) {
    for (const { 0: word, index } of text?.nodeValue?.matchAll(/(?<!\p{L})\p{L}{2,6}(?!\p{L})/gu) ?? []) {
      const range = document.createRange()
      range.setStart(text as Text, index)
      range.setEnd(text as Text, index + word.length)
      const lines = new Set(Array.from(range.getClientRects(), ({ y }) => Math.round(y)))
      if (lines.size > 1) parted.push(word)
    }
  }
  return parted
}

test('the browser’s way back closes a dialog, which would stay open over the page before', async ({
  page,
}) => {
  await page.goto('/')
  await page.getByRole('link', { name: 'Pricing' }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: 'Pricing' })).toBeVisible()
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible()
  await expect(page.getByRole('dialog')).toBeHidden()
})

test('a page is fetched ahead only once somebody points at its link', async ({ page }) => {
  const ahead: string[] = []
  page.on('request', request => {
    if (request.headers()['next-router-prefetch']) ahead.push(new URL(request.url()).pathname)
  })
  await page.goto('/', { waitUntil: 'networkidle' })
  expect(ahead).toEqual([])
  await page.getByRole('link', { name: 'Pricing' }).first().hover()
  await expect.poll(() => ahead).toContain('/pricing')
  expect(new Set(ahead)).toEqual(new Set(['/pricing']))
})
