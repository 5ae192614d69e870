import { expect, test } from '@/test/support/test'

test('a new visitor can top up, ask, read the answer and its price, and find the chat after a reload @phone', async ({
  page,
}) => {
  await page.goto('/')
  await expect(page.getByRole('status', { name: 'Balance' })).toContainText('$0')
  await page.getByRole('link', { name: 'Top up' }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: 'Top up' })).toBeVisible()
  await page.getByRole('button', { name: '$1', exact: true }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: /sandbox/i }).click()
  await expect(page.getByRole('status', { name: 'Balance' })).toContainText('$1')

  await page.goto('/')
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello there')
  // The price is visible even in the part of the window that a phone's keyboard leaves.
  const size = page.viewportSize()
  await page.setViewportSize({ width: 390, height: 420 })
  await expect(page.getByText(/at most 0\.\d+\scents/)).toBeVisible()
  if (size) await page.setViewportSize(size)
  await page.getByRole('button', { name: 'Send' }).click()
  const answer = page.getByRole('article', { name: 'Assistant message' })
  await expect(answer).toContainText('You said: Hello there')
  await expect(answer).toContainText(/\$0\.0000\d+/)
  await expect(page.getByRole('status', { name: 'Balance' })).toContainText('$0.99')

  await page.reload()
  await expect(page.getByRole('status', { name: 'Balance' })).toContainText('$0.99')
  const conversations = page.getByRole('navigation', { name: 'Conversations' })
  if (!(await conversations.isVisible()))
    await page
      .getByRole('button', { name: /conversations/i })
      .first()
      .click()
  await conversations.getByText('Hello there').first().click()
  await expect(page.getByRole('article', { name: 'Assistant message' })).toContainText(
    'You said: Hello there',
  )
})

test('a page that is still open when the site is updated takes a payment and tells of it', async ({
  page,
}) => {
  await page.goto('/top-up', { waitUntil: 'networkidle' })
  // Another version has other files.
  await page.route('**/_next/static/**', route => route.fulfill({ status: 404, body: 'Not Found' }))
  await page.getByRole('button', { name: '$1', exact: true }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: /sandbox/i }).click()
  await expect(page.getByText('$1.00 added', { exact: true })).toBeVisible()
  await expect(page.getByRole('heading', { level: 1, name: 'Top up' })).toBeVisible()
})

test('a page whose code was lost on the way is shown by "Try again" once the network is back', async ({
  page,
}) => {
  await page.goto('/top-up', { waitUntil: 'networkidle' })
  await page.route('**/_next/static/**', route => route.abort())
  await page.getByRole('link', { name: 'Tuppence, home' }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: 'Something broke on this page' })).toBeVisible()
  await page.unroute('**/_next/static/**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible()
})
