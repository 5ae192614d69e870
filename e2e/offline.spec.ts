import type { Page } from '@playwright/test'
import { expect, test } from '@/test/support/test'
import { answerOn, ask } from './local-data/browser-store'

test.use({ serviceWorkers: 'allow' })

/** The page itself is cached last, after everything that is needed to show and ask. */
async function untilKept(page: Page): Promise<void> {
  const isKept = () => caches.match(`${window.location.origin}/`).then(kept => kept !== undefined)
  await expect.poll(() => page.evaluate(isKept)).toBe(true)
}

test('the site opens and shows the history offline, and sends a question asked offline once the network returns', async ({
  page,
  context,
  funded,
  balance,
}) => {
  // On a reload the browser ends the emulated outage for a moment, in which a page would send its question.
  await page.addInitScript(() => {
    const isOnline = () => localStorage.getItem('outage') === null
    Object.defineProperty(navigator, 'onLine', { get: isOnline })
    window.addEventListener('online', event => isOnline() || event.stopImmediatePropagation(), {
      capture: true,
    })
  })
  const answers = answerOn(page)
  await page.goto('/')
  await ask(page, 'Hello there')
  await expect(answers).toContainText('Hello there')
  await untilKept(page)
  await page.reload()
  await page.getByText('Hello there').first().waitFor()

  const before = await balance(funded)
  await context.setOffline(true)
  await page.evaluate(() => localStorage.setItem('outage', 'emulated'))
  await ask(page, 'Are you there?')
  await expect(page.getByRole('region', { name: 'Messages' }).getByText(/You are offline/)).toBeVisible()

  const violations: string[] = []
  page.on('console', message => {
    if (/content security policy/i.test(message.text())) violations.push(message.text())
  })
  await expect(page).toHaveURL(/\/c\/[^/]+$/)
  await page.reload()
  await expect(answers.first()).toContainText('Hello there')
  await expect(page.getByRole('region', { name: 'Messages' }).getByText(/You are offline/)).toBeVisible()
  expect(violations).toEqual([])
  expect(await balance(funded)).toBe(before)

  await page.evaluate(() => localStorage.removeItem('outage'))
  await context.setOffline(false)
  await expect(answers.last()).toContainText('Are you there?')
  await expect(page.getByRole('region', { name: 'Messages' }).getByText(/You are offline/)).toBeHidden()
})

test('the first visit is offered no new version, whenever the browser names the first one the page’s controller', async ({
  page,
}) => {
  // On a busy page, Safari does before it says that the worker is installed.
  await page.addInitScript(() =>
    Object.defineProperty(navigator.serviceWorker, 'controller', { get: () => ({}) }),
  )
  await page.goto('/')
  await untilKept(page)
  await expect(page.getByText('A new version is here.')).toBeHidden()
})

test('a second question asked offline is sent after the first one', async ({
  page,
  context,
  funded: _funded,
}) => {
  await page.goto('/')
  await page.getByRole('textbox', { name: 'Message' }).fill('Are you there?')
  await untilKept(page)
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('region', { name: 'Messages' }).getByText(/You are offline/)).toBeVisible()
  await ask(page, 'And now?')
  await expect(page.getByText('One message follows this answer.')).toBeVisible()
  await context.setOffline(false)
  await expect(answerOn(page).last()).toContainText('And now?')
})

test('a conversation not yet opened in this tab can be opened and continued offline', async ({
  page,
  context,
  funded: _funded,
}) => {
  await page.goto('/')
  await ask(page, 'Hello there')
  await expect(answerOn(page)).toContainText('Hello there')
  await untilKept(page)

  const tab = await context.newPage()
  await tab.goto('/', { waitUntil: 'networkidle' })
  await context.setOffline(true)
  await tab.getByRole('navigation', { name: 'Conversations' }).getByText('Hello there').click()
  const answers = answerOn(tab)
  await expect(answers).toContainText('Hello there')
  await ask(tab, 'Are you there?')
  await expect(tab.getByRole('region', { name: 'Messages' }).getByText(/You are offline/)).toBeVisible()
  await context.setOffline(false)
  await expect(answers.last()).toContainText('Are you there?')
})

test('opening a page that needs the network while offline says so and shows the chat', async ({
  page,
  context,
  funded: _funded,
}) => {
  await page.goto('/')
  await untilKept(page)
  await context.setOffline(true)
  await page.goto('/account')
  await expect(page.getByText('That page needs the network.')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible()
  await expect(page).toHaveURL(/\/$/)
})

for (const [when, isTypedBefore] of [
  ['after', false],
  ['before', true],
] as const) {
  test(`the very first question is sent when the network returns, if it was typed ${when} the network failed`, async ({
    page,
    context,
    funded: _funded,
  }) => {
    await page.goto('/')
    await untilKept(page)
    const box = page.getByRole('textbox', { name: 'Message' })
    if (isTypedBefore) await box.fill('Are you')
    await context.setOffline(true)
    await box.fill('Are you there?')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByText(/You are offline/)).toBeVisible()
    await context.setOffline(false)
    await expect(answerOn(page)).toContainText('Are you there?')
  })
}

/** Sends what the browser sends when another app shares something with the installed site. */
function share(page: Page, enctype: string): Promise<void> {
  return page.evaluate(async type => {
    await navigator.serviceWorker.ready
    const form = document.body.appendChild(document.createElement('form'))
    Object.assign(form, { method: 'POST', action: '/share', enctype: type })
    const field = (name: string, own: object) =>
      form.append(Object.assign(document.createElement('input'), { name, ...own }))
    field('title', { value: 'A page' })
    field('text', { value: '' })
    field('url', { value: 'https://elsewhere.test' })
    const files = new DataTransfer()
    files.items.add(new File(['secret'], 'secret.txt', { type: 'text/plain' }))
    field('files', { type: 'file', files: files.files })
    form.submit()
  }, enctype)
}

for (const [what, enctype] of [
  ['text', 'application/x-www-form-urlencoded'],
  ['text with a file', 'multipart/form-data'],
] as const) {
  test(`${what} shared by another app appears in the message box without being sent to the server`, async ({
    page,
    context,
    baseURL,
  }) => {
    await page.goto('/')
    await untilKept(page)
    const requestedUrls: string[] = []
    const passedOn: string[] = []
    context.on('request', request => {
      requestedUrls.push(request.url())
      if (request.serviceWorker() && request.method() === 'POST') passedOn.push(request.url())
    })
    const answered = page.waitForResponse(response => response.url() === `${baseURL}/share`)
    await share(page, enctype)
    expect((await answered).fromServiceWorker()).toBe(true)
    await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('A page\nhttps://elsewhere.test')
    await expect(page).toHaveURL(`${baseURL}/`)
    expect(requestedUrls.filter(url => url.includes('elsewhere'))).toEqual([])
    expect(passedOn).toEqual([])
  })
}
