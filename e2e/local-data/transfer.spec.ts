import { expect, test } from '@/test/support/test'
import { conversation, conversationsOn, storeBefore, stored } from './browser-store'

test('chats, credit and settings can be moved to another browser in one file', async ({
  page,
  browser,
  funded,
}) => {
  await storeBefore(page, {
    conversationHistory: JSON.stringify([conversation('a', 'To be carried', 1)]),
    instructions: 'Metric units.',
  })
  await page.goto('/account')
  // Screen readers announce the result of an export or import only if its region was there before.
  await expect(page.locator('#your-data').getByRole('status')).toHaveCount(2)
  await page.getByRole('switch', { name: 'Include my credit' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export everything' }).click()
  const path = await (await download).path()

  const elsewhere = await (await browser.newContext()).newPage()
  await elsewhere.goto(new URL('/account', page.url()).href)
  await elsewhere.getByLabel(/An exported file is added/).setInputFiles(path)
  await expect(elsewhere.getByText('1 chat and 0 pictures imported.')).toBeVisible()
  await expect(conversationsOn(elsewhere).getByText('To be carried')).toHaveCount(1)
  expect(await stored(elsewhere, 'credit_id')).toBeNull()
  await elsewhere.getByRole('button', { name: 'Use this credit here' }).click()
  await expect(elsewhere.getByText('The credit in the file is now in this browser.')).toBeVisible()
  expect(await stored(elsewhere, 'credit_id')).toBe(funded.creditId)
  expect(await stored(elsewhere, 'instructions')).toBeNull()
  await elsewhere.getByRole('button', { name: 'Take over the settings' }).click()
  await expect(elsewhere.getByText('The settings in the file now apply in this browser.')).toBeVisible()
  expect(await stored(elsewhere, 'instructions')).toBe('Metric units.')
  await elsewhere.goto(new URL('/', page.url()).href)
  await expect(conversationsOn(elsewhere).getByText('To be carried')).toHaveCount(1)
  await elsewhere.context().close()
})

test('deleting everything requires typing a word, and keeps the credit by default', async ({
  page,
  funded,
}) => {
  await storeBefore(page, { conversationHistory: JSON.stringify([conversation('a', 'To be deleted', 1)]) })
  await page.goto('/account')
  await page.getByRole('button', { name: 'Delete everything…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete everything' })
  await expect(dialog.getByText(/stays in this browser with its balance/)).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Delete now' })).toBeDisabled()
  await dialog.getByRole('textbox').fill('delete')
  const reloaded = page.waitForEvent('load')
  await dialog.getByRole('button', { name: 'Delete now' }).click()
  await reloaded
  await expect(page.getByRole('status').filter({ hasText: 'Everything is deleted.' })).toBeVisible()
  expect(await stored(page, 'conversationHistory')).toBeNull()
  expect(await stored(page, 'credit_id')).toBe(funded.creditId)
})
