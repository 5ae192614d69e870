import { text } from 'node:stream/consumers'
import { expect, test } from '@/test/support/test'
import { answerOn, ask, storeBefore, stored } from './browser-store'

test('with damaged data the page still works, and the data is set aside instead of overwritten', async ({
  page,
  funded: _funded,
}) => {
  await storeBefore(page, {
    conversationHistory: '[{"id":"half',
    selectedConversation: '{"id":12,',
    settings: 'dark',
    maxContext: 'many',
    utm: '[',
  })
  await page.goto('/')
  await ask(page, 'Still working?')
  await expect(answerOn(page)).toContainText('You said: Still working?')
  expect(await stored(page, 'conversationHistory.damaged.1')).toBe('[{"id":"half')
  expect(await stored(page, 'selectedConversation.damaged.1')).toBe('{"id":12,')
})

test('damaged data that was set aside can be saved to a file and deleted', async ({ page }) => {
  await storeBefore(page, { settings: 'dark' })
  await page.goto('/account')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save to a file' }).click()
  const file = await (await download).createReadStream()
  expect(await text(file)).toBe('{"settings.damaged.1":"dark"}')
  await page.getByRole('button', { name: 'Delete it here' }).click()
  await expect(page.getByRole('button', { name: 'Delete it here' })).toBeHidden()
  await expect(page.getByRole('heading', { name: 'Your data', exact: true })).toBeFocused()
  expect(await stored(page, 'settings.damaged.1')).toBeNull()
})

test('a history of megabytes of spaces is removed as empty, without a warning that the storage is full', async ({
  page,
}) => {
  await storeBefore(page, { conversationHistory: ' '.repeat(5_242_800), settings: 'null' })
  await page.goto('/')
  await expect.poll(() => stored(page, 'migrationsVersion')).toBe('3')
  expect(await stored(page, 'conversationHistory')).toBeNull()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})
