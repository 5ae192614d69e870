import type { Page } from '@playwright/test'
import { expect, test } from '@/test/support/test'

/** Opens a page whose scripts do not arrive until the returned function is called. */
async function openWithoutScripts(page: Page, path: string): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/_next/static/**/*.js*', async route => {
    await released
    await route.continue()
  })
  await page.goto(path, { waitUntil: 'commit' })
  return release
}

test('what is chosen and pressed before the page’s scripts run makes the invoice that it should', async ({
  page,
}) => {
  const release = await openWithoutScripts(page, '/top-up')
  await page.getByRole('button', { name: '$10', exact: true }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  release()
  await expect(page).toHaveURL(/amount=10&.*invoice=/)
  await expect(page.getByRole('status', { name: 'Payment status' })).toContainText('Waiting')
})

test('an amount that was typed before the page’s scripts run is the one that is asked for', async ({
  page,
}) => {
  const release = await openWithoutScripts(page, '/top-up')
  await page.getByRole('textbox', { name: 'Amount' }).fill('7')
  await page.getByRole('textbox', { name: 'Amount' }).press('Enter')
  release()
  await expect(page).toHaveURL(/amount=7&.*invoice=/)
})

test('on the account page, too, a press and words that come early are not lost', async ({ page, funded }) => {
  const release = await openWithoutScripts(page, '/account')
  await page.getByRole('textbox', { name: '12 words or credit key' }).fill(funded.creditId)
  await page.getByRole('button', { name: 'Show the 12 words' }).click()
  release()
  await expect(page.getByRole('list', { name: 'The 12 words, in order' }).getByRole('listitem')).toHaveCount(
    12,
  )
  await page.getByRole('button', { name: 'Restore' }).click()
  await expect(page.getByText('This credit is already in this browser.')).toBeVisible()
})

test('a question that is typed early is the one that can be sent', async ({ page, funded: _ }) => {
  const release = await openWithoutScripts(page, '/')
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello there')
  release()
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('article', { name: 'Assistant message' })).toContainText(
    'You said: Hello there',
  )
})

test('an example that is pressed early becomes the question', async ({ page }) => {
  const release = await openWithoutScripts(page, '/')
  await page.getByRole('button', { name: /^Explain how a heat pump/ }).click()
  release()
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue(/^Explain how a heat pump/)
})
