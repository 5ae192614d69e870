import type { Page } from '@playwright/test'
import { expect, test } from '@/test/support/test'
import { answerOn, ask, conversation, conversationsOn, fillDisk, storeBefore, stored } from './browser-store'

/** Less than one conversation needs, so that the databases of this origin accept nothing more. */
const QUOTA_BYTES = 1

async function fillDatabases(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const origin = await page.evaluate(() => location.origin)
  await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: QUOTA_BYTES })
}

test('with local storage and the archive both full, no chat is lost, and deleting one makes room', async ({
  page,
  funded: _funded,
}) => {
  const history = Array.from({ length: 25 }, (_, index) =>
    conversation(`old-${index}`, `Question ${index + 100} ${'word '.repeat(2_000)}`, index + 1),
  )
  await storeBefore(page, { conversationHistory: JSON.stringify(history), migrationsVersion: '3' })
  await fillDatabases(page)
  await page.goto('/')
  await fillDisk(page, 200)
  await ask(page, 'Where do I go?')
  const dialog = page.getByRole('dialog', { name: 'Storage full' })
  await expect(dialog).toBeVisible()
  await dialog.getByRole('button', { name: 'Move older chats to the archive' }).click()
  await expect(dialog.getByText('The archive could not take them.')).toBeVisible()
  expect(JSON.parse((await stored(page, 'conversationHistory')) ?? '[]')).toHaveLength(25)

  await dialog.getByRole('button', { name: /^Delete .*Question 124/ }).click()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(answerOn(page)).toContainText('You said: Where do I go?')
  await expect.poll(() => stored(page, 'conversationHistory')).toContain('You said: Where do I go?')
  await page.reload()
  await expect(conversationsOn(page).getByRole('listitem')).toHaveCount(25)
  await expect(conversationsOn(page).getByText('Where do I go?')).toHaveCount(1)
})
