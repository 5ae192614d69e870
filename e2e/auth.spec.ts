import { randomUUID } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { type AuthServer, startAuthServer } from '@/test/stand-ins/auth-server'
import { startSiteWithSignIn } from '@/test/stand-ins/auth-server-site'
import { totpCode } from '@/test/stand-ins/auth-server-totp'
import { CAPTCHA_PAGE, startFramePage } from '@/test/stand-ins/frame-page'
import { accessibilityViolations } from '@/test/support/axe'
import { APP_PORT } from '@/test/support/ports'

/** Runs in addition to the site without sign-in, which the other spec files use. */
const SITE_PORT = APP_PORT + 2
const GUARDED_SITE_PORT = APP_PORT + 3

let server: AuthServer
let siteUrl: string
let stopAll: () => Promise<void>

test.beforeAll(async () => {
  const auth = await startAuthServer()
  server = auth.server
  const site = await startSiteWithSignIn({ port: SITE_PORT, authUrl: auth.url })
  siteUrl = site.url
  stopAll = async () => {
    await site.stop()
    await auth.stop()
  }
})

test.afterAll(() => stopAll())

/** A new address for each test, since the stand-in remembers people. */
const newEmail = () => `${randomUUID()}@example.com`

async function signInByEmail(page: Page, email: string): Promise<void> {
  await page.goto(`${siteUrl}/account`)
  await page.getByRole('textbox', { name: 'Email address' }).fill(email)
  await page.getByRole('button', { name: 'Email me a code' }).click()
  await expect(page.getByText(`We sent a code to ${email}`)).toBeVisible()
  await page.getByRole('textbox', { name: 'Code' }).fill(server.state.emailCodes.get(email)?.code ?? '')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByText(`Signed in as ${email}`)).toBeVisible()
}

async function holdNewCredit(page: Page): Promise<string> {
  const created = await page.request.post(`${siteUrl}/accounts/create`)
  const { credit_id: creditId } = await created.json()
  await page.goto(`${siteUrl}/pricing`)
  await page.evaluate(id => localStorage.setItem('credit_id', id), creditId)
  return creditId
}

async function sessionCookieNames(page: Page): Promise<string[]> {
  const cookies = await page.context().cookies()
  return cookies.map(({ name }) => name).filter(name => /^sb-127-auth-token(\.\d+)?$/.test(name))
}

test('without sign-in configured, the account page has no sign-in texts, code or routes', async ({
  page,
}) => {
  const scripts: string[] = []
  page.on('response', async response => {
    if (response.url().endsWith('.js')) scripts.push(await response.text().catch(() => ''))
  })
  await page.goto('/account', { waitUntil: 'networkidle' })
  await expect(page.getByRole('heading', { level: 1, name: 'Account' })).toBeVisible()
  await expect(page.getByText(/sign in/i)).toHaveCount(0)
  expect(await page.content()).not.toContain('Sign in')
  expect(scripts.filter(script => script.includes('GoTrueClient'))).toEqual([])
  expect((await page.request.get('/auth/callback?code=1')).status()).toBe(404)
  expect((await page.request.get('/api/account/credit')).status()).toBe(404)
})

test('the auth library is loaded only when somebody starts to sign in', async ({ page }) => {
  const loaded: string[] = []
  page.on('response', async response => {
    if (response.url().endsWith('.js') && (await response.text().catch(() => '')).includes('GoTrueClient')) {
      loaded.push(response.url())
    }
  })
  await page.goto(`${siteUrl}/account`, { waitUntil: 'networkidle' })
  expect(loaded).toEqual([])
  await page.getByRole('textbox', { name: 'Email address' }).fill(newEmail())
  await page.getByRole('button', { name: 'Email me a code' }).click()
  await expect(page.getByText('We sent a code to')).toBeVisible()
  // Its text is read beside the page.
  await expect.poll(() => loaded).not.toEqual([])
})

test('an emailed code signs in, the server then renders pages as signed in, and signing out clears the cookies', async ({
  page,
}) => {
  const email = newEmail()
  await signInByEmail(page, email)
  expect(await (await page.request.get(`${siteUrl}/account`)).text()).toContain(email)
  expect(await accessibilityViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expect(page.getByRole('group', { name: 'Sign in' })).toBeVisible()
  expect(await sessionCookieNames(page)).toEqual([])
  expect(await accessibilityViolations(page)).toEqual([])
})

test('deleting everything here signs out here as well', async ({ page }) => {
  await signInByEmail(page, newEmail())
  await page.getByRole('button', { name: 'Delete everything…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('You are signed out in this browser as well.')).toBeVisible()
  await dialog.getByRole('textbox').fill('delete')
  await dialog.getByRole('button', { name: 'Delete now' }).click()
  await expect(page.getByText('Everything is deleted.')).toBeVisible()
  await expect(page.getByRole('group', { name: 'Sign in' })).toBeVisible()
  expect(await sessionCookieNames(page)).toEqual([])
})

test('keyboard focus is never lost between sign-in and sign-out', async ({ page }) => {
  const email = newEmail()
  const press = async (name: string) => {
    await page.getByRole('button', { name, exact: true }).focus()
    await page.keyboard.press('Enter')
  }
  const code = page.getByRole('textbox', { name: 'Code' })
  const heading = (name: string) => page.getByRole('heading', { name, exact: true })
  await holdNewCredit(page)
  await page.goto(`${siteUrl}/account`)
  await page.getByRole('textbox', { name: 'Email address' }).fill(email)
  await page.keyboard.press('Enter')
  await expect(code).toBeFocused()
  await press('Use another address')
  await expect(page.getByRole('textbox', { name: 'Email address' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(code).toBeFocused()
  const first = server.state.emailCodes.get(email)?.code
  await press('Send a new code')
  await expect(page.getByText('A new code is on its way. Only the newest one is valid.')).toBeVisible()
  await code.focus()
  const second = server.state.emailCodes.get(email)?.code ?? ''
  expect(second).not.toBe(first)
  await page.keyboard.type('000000')
  await press('Confirm')
  await expect(page.getByText('The code is wrong or too old.')).toBeVisible()
  await expect(code).toBeFocused()
  await page.keyboard.type(second)
  await page.keyboard.press('Enter')
  await expect(heading('Sign-in')).toBeFocused()

  await press('Show what is linked')
  await expect(heading('Credit and account')).toBeFocused()
  await press('Add an authenticator app')
  await expect(page.getByRole('group', { name: 'Authenticator app' }).getByRole('textbox')).toBeFocused()
  await page.keyboard.type('My phone')
  await page.keyboard.press('Enter')
  await expect(code).toBeFocused()
  const secret = await page.getByRole('group', { name: 'Authenticator app' }).locator('code').textContent()
  await page.keyboard.type(totpCode(secret ?? '', Date.now()))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Remove My phone' })).toBeVisible()
  await expect(heading('Second factor')).toBeFocused()
  await press('Remove My phone')
  await expect(page.getByRole('dialog', { name: 'Remove My phone?' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Remove My phone' })).toBeFocused()
  await press('Add a phone')
  await page.keyboard.type('My other phone')
  await page.keyboard.press('Tab')
  await page.keyboard.type('+41 79 123 45 67')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Send a code' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(code).toBeFocused()
  await press('Sign out')
  await expect(heading('Sign-in')).toBeFocused()
})

test('an emailed link signs in only the browser that requested it', async ({ page, browser }) => {
  const email = newEmail()
  await page.goto(`${siteUrl}/account`)
  await page.getByRole('textbox', { name: 'Email address' }).fill(email)
  await page.getByRole('button', { name: 'Email me a code' }).click()
  await expect(page.getByText('We sent a code to')).toBeVisible()
  const link = `${siteUrl}/auth/confirm?token_hash=${server.state.emailCodes.get(email)?.tokenHash}&type=email`

  const stranger = await (await browser.newContext()).newPage()
  await stranger.goto(link)
  await expect(stranger.getByText('Open the link in the browser where you asked for it')).toBeVisible()
  expect(await sessionCookieNames(stranger)).toEqual([])
  await stranger.context().close()

  await page.goto(link)
  await expect(page.getByText(`Signed in as ${email}`)).toBeVisible()
})

test('signing in with GitHub returns to the section where it was started', async ({ page }) => {
  const email = newEmail()
  server.state.nextSocialIdentity = { subject: randomUUID(), email }
  await page.goto(`${siteUrl}/de/account?tab=1`)
  await page.getByRole('button', { name: 'Weiter mit GitHub' }).click()
  await expect(page.getByText(`Angemeldet als ${email}`)).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Anmeldung', exact: true })).toBeInViewport()
  expect(page.url()).toBe(`${siteUrl}/de/account?tab=1#sign-in`)
})

test('the page says that nothing was changed when sign-in is cancelled at the provider', async ({ page }) => {
  server.state.nextSocialIdentity = null
  await page.goto(`${siteUrl}/account`)
  await page.getByRole('button', { name: 'Continue with GitHub' }).click()
  await expect(page.getByText('Cancelled. Nothing was changed.')).toBeInViewport()
})

test('an identity can be linked and unlinked, but the last one cannot be removed', async ({ page }) => {
  await signInByEmail(page, newEmail())
  await expect(page.getByRole('region', { name: 'Ways to sign in' })).toContainText('Email address')
  await expect(page.getByText('The last one cannot be unlinked')).toBeVisible()
  server.state.nextSocialIdentity = { subject: randomUUID(), email: newEmail() }
  await page.getByRole('button', { name: 'Link Google' }).click()
  await page.getByRole('button', { name: 'Unlink Google' }).click()
  await expect(page.getByText('The last one cannot be unlinked')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Link Google' })).toBeVisible()
})

test('a passkey can be added and used to sign in', async ({ page, context }) => {
  await context.credentials.install()
  const email = newEmail()
  await signInByEmail(page, email)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page.getByText('Added Jan 1, 2026')).toBeVisible()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByText(`Signed in as ${email}`)).toBeVisible()
})

test('a linked credit can be used on another device after the second factor is confirmed', async ({
  page,
  browser,
}) => {
  const email = newEmail()
  const creditId = await holdNewCredit(page)
  await signInByEmail(page, email)
  await page.getByRole('button', { name: 'Show what is linked' }).click()
  await page.getByRole('button', { name: 'Link this browser’s credit' }).click()
  await expect(page.getByText('The credit in this browser is linked to your account.')).toBeVisible()

  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  const factor = page.getByRole('group', { name: 'Authenticator app' })
  await factor.getByRole('textbox', { name: 'Name' }).fill('My phone')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const secret = (await factor.locator('code').textContent()) ?? ''
  await page.getByRole('textbox', { name: 'Code' }).fill(totpCode(secret, Date.now()))
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByRole('button', { name: 'Remove My phone' })).toBeVisible()

  const device = await (await browser.newContext()).newPage()
  await signInByEmail(device, email)
  await device.getByRole('button', { name: 'Show what is linked' }).click()
  const stepUp = device.getByRole('group', { name: 'Confirm it is you' })
  await stepUp.getByRole('textbox', { name: 'Code' }).fill(totpCode(secret, Date.now()))
  await stepUp.getByRole('button', { name: 'Confirm' }).click()
  await expect(device.getByText('A credit is linked to your account; this browser has none.')).toBeVisible()
  await device.getByRole('button', { name: 'Use the linked credit here' }).click()
  await expect(device.getByText('The credit in this browser is linked to your account.')).toBeVisible()
  expect(await device.evaluate(() => localStorage.getItem('credit_id'))).toBe(creditId)

  await device.getByRole('radio', { name: 'Remove it from this browser' }).check()
  await device.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expect(device.getByRole('group', { name: 'Sign in' })).toBeVisible()
  expect(await device.evaluate(() => localStorage.getItem('credit_id'))).toBeNull()
  await device.context().close()
})

test('a second factor that was left before its code was entered can be confirmed after a reload', async ({
  page,
}) => {
  await signInByEmail(page, newEmail())
  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  const factor = page.getByRole('group', { name: 'Authenticator app' })
  await factor.getByRole('textbox', { name: 'Name' }).fill('My phone')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const secret = (await factor.locator('code').textContent()) ?? ''
  await page.reload()
  await page.getByRole('button', { name: 'Confirm My phone' }).click()
  const group = page.getByRole('group', { name: 'Confirm My phone' })
  await expect(group.getByRole('textbox', { name: 'Code' })).toBeFocused()
  expect(await accessibilityViolations(page)).toEqual([])
  await group.getByRole('textbox', { name: 'Code' }).fill(totpCode(secret, Date.now()))
  await group.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByText('Not confirmed yet')).toBeHidden()
  await expect(page.getByRole('button', { name: 'Remove My phone' })).toBeVisible()
})

test('five tabs whose session expired at the same moment all stay signed in', async ({ page, context }) => {
  const email = newEmail()
  const { jwtExpSeconds } = server.state.options
  // In the last 90 seconds, every visit refreshes the session.
  server.state.options.jwtExpSeconds = 60
  await signInByEmail(page, email)
  server.state.options.jwtExpSeconds = jwtExpSeconds
  const tabs = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const tab = await context.newPage()
      await tab.goto(`${siteUrl}/account`)
      return tab
    }),
  )
  for (const tab of tabs) await expect(tab.getByText(`Signed in as ${email}`)).toBeVisible()
  await page.reload()
  await expect(page.getByText(`Signed in as ${email}`)).toBeVisible()
})

test('after a session has ended unseen the account page says so, once, whichever page is opened first', async ({
  page,
}) => {
  const { jwtExpSeconds } = server.state.options
  server.state.options.jwtExpSeconds = 60
  await signInByEmail(page, newEmail())
  server.state.options.jwtExpSeconds = jwtExpSeconds
  await page.goto('about:blank')
  server.state.sessions.clear()
  await page.goto(`${siteUrl}/pricing`)
  await page.goto(`${siteUrl}/account`)
  await expect(page.getByText('Your session has ended. Sign in again.')).toBeVisible()
  expect(await sessionCookieNames(page)).toEqual([])
  // Its code has run, and deleted the note.
  const cookieNames = async () => (await page.context().cookies()).map(({ name }) => name)
  await expect.poll(cookieNames).not.toContain('session-ended')
  await page.reload()
  await expect(page.getByRole('button', { name: 'Email me a code' })).toBeVisible()
  await expect(page.getByText('Your session has ended. Sign in again.')).toBeHidden()
})

test('a session of many large cookies is accepted', async ({ page }) => {
  const chunks = Array.from({ length: 12 }, (_, index) => `sb-127-auth-token.${index}=${'x'.repeat(3180)}`)
  const response = await page.request.get(`${siteUrl}/account`, { headers: { cookie: chunks.join('; ') } })
  expect(response.status()).toBe(200)
})

test('a tab is updated when another tab signs in and when it signs out', async ({ page, context }) => {
  const other = await context.newPage()
  await other.goto(`${siteUrl}/account`)
  await expect(other.getByRole('group', { name: 'Sign in' })).toBeVisible()
  const email = newEmail()
  await signInByEmail(page, email)
  await expect(other.getByText(`Signed in as ${email}`)).toBeVisible()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expect(other.getByRole('group', { name: 'Sign in' })).toBeVisible()
})

test('name and email address can be changed on the account page, and other tabs are updated', async ({
  page,
  context,
}) => {
  const email = newEmail()
  await signInByEmail(page, email)
  const other = await context.newPage()
  // The tab receives no messages before its script runs.
  await other.goto(`${siteUrl}/account`, { waitUntil: 'networkidle' })
  const profile = page.getByRole('region', { name: 'Name and address' })
  await profile.getByRole('textbox', { name: 'Name' }).fill('Ada Lovelace')
  await profile.getByRole('button', { name: 'Save' }).click()
  await expect(profile.getByText('Saved.')).toBeVisible()
  const otherProfile = other.getByRole('region', { name: 'Name and address' })
  await expect(otherProfile.getByRole('textbox', { name: 'Name' })).toHaveValue('Ada Lovelace')

  const next = newEmail()
  await profile.getByRole('textbox', { name: 'Email address' }).fill(next)
  await profile.getByRole('button', { name: 'Save' }).click()
  await expect(profile.getByText(`Your address becomes ${next}`)).toBeVisible()
  expect(await accessibilityViolations(page)).toEqual([])
  await profile.getByRole('textbox', { name: 'Code' }).fill(server.state.emailCodes.get(next)?.code ?? '')
  await profile.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByText(`Signed in as ${next}`)).toBeVisible()
  await expect(other.getByText(`Signed in as ${next}`)).toBeVisible()
})

test('without JavaScript, the account page is shown as signed in, and signing out works', async ({
  page,
  browser,
}) => {
  const email = newEmail()
  await signInByEmail(page, email)
  const storageState = await page.context().storageState()
  const plain = await (await browser.newContext({ javaScriptEnabled: false, storageState })).newPage()
  await plain.goto(`${siteUrl}/account`)
  await expect(plain.getByRole('heading', { level: 1, name: 'Account' })).toBeVisible()
  await expect(plain.getByText(`Signed in as ${email}`)).toBeVisible()
  await plain.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expect(plain).toHaveURL(`${siteUrl}/account`)
  expect(await sessionCookieNames(plain)).toEqual([])
  await plain.context().close()
})

test('damaged session cookies are cleared, and the page is shown as signed out', async ({
  page,
  context,
}) => {
  await context.addCookies([
    { name: 'sb-127-auth-token.0', value: 'base64-eyJhY2Nlc3N', url: siteUrl },
    { name: 'sb-127-auth-token.1', value: '%%%', url: siteUrl },
  ])
  await page.goto(`${siteUrl}/account`)
  await expect(page.getByRole('group', { name: 'Sign in' })).toBeVisible()
  expect(await sessionCookieNames(page)).toEqual([])
})

test('private routes require a session even if headers pretend that the middleware has run', async ({
  page,
}) => {
  const tricks: Record<string, string>[] = [
    { 'x-middleware-subrequest': 'middleware:middleware:middleware:middleware:middleware' },
    { rsc: '1', 'next-router-prefetch': '1' },
    { 'x-middleware-next': '1', 'x-invoke-path': '/api/account/credit' },
    { 'x-middleware-request-cookie': 'sb-127-auth-token=base64-e30' },
  ]
  for (const headers of tricks) {
    const own = { ...headers, 'sec-fetch-site': 'same-origin' }
    for (const path of ['/api/account/credit', '/api/account/credit.rsc', '/api/account/credit?_rsc=1']) {
      const response = await page.request.get(`${siteUrl}${path}`, { headers: own, maxRedirects: 0 })
      // A suffix makes it the address of a "not found" page, whose payload has status 200.
      if (!path.endsWith('.rsc')) expect([307, 401]).toContain(response.status())
      expect(await response.text()).not.toMatch(/"(credit_id|state)":/)
    }
  }
})

test('a code is emailed only after the captcha, and the provider gets the configured parameters', async ({
  page,
}) => {
  const captcha = await startFramePage(CAPTCHA_PAGE)
  const site = await startSiteWithSignIn({
    port: GUARDED_SITE_PORT,
    authUrl: server.state.options.url,
    environment: {
      AUTH_CAPTCHA_FRAME_URL: `${captcha.url}/check`,
      AUTH_PROVIDER_PARAMETERS: 'github?scopes=read:user+gist&login=ada',
    },
  })
  server.state.captchaTokens = new Set(['person-1'])
  try {
    await page.goto(`${site.url}/account`)
    const send = page.getByRole('button', { name: 'Email me a code' })
    await expect(send).toBeVisible()
    expect(captcha.requests).toEqual([])
    await page.getByRole('textbox', { name: 'Email address' }).fill(newEmail())
    const frame = page.frameLocator('iframe[title="Check that you are not a robot"]')
    await expect(frame.getByRole('button', { name: 'I am a person' })).toBeVisible()
    await send.click()
    await expect(page.getByText('First show below that you are not a robot.')).toBeVisible()
    await frame.getByRole('button', { name: 'I am a person' }).click()
    await expect(frame.getByText('Checked.')).toBeVisible()
    expect(await accessibilityViolations(page)).toEqual([])
    await send.click()
    await expect(page.getByText('We sent a code to')).toBeVisible()
    expect(server.state.captchaTokens.size).toBe(0)
    await expect(frame.getByText('Used.')).toBeVisible()
    expect(captcha.requests).toEqual([{ address: '/check', referrer: undefined, cookie: undefined }])

    server.state.nextSocialIdentity = null
    await page.getByRole('button', { name: 'Continue with GitHub' }).click()
    await expect(page.getByText('Cancelled. Nothing was changed.')).toBeVisible()
    const query = server.callsTo('/authorize').at(-1)?.query
    expect([query?.get('scopes'), query?.get('login')]).toEqual(['read:user gist', 'ada'])
  } finally {
    server.state.captchaTokens = null
    await site.stop()
    await captcha.stop()
  }
})
