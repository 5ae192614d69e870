import { expect, test } from '@/test/support/test'
import { answerOn, ask, stored } from './browser-store'

test('when writing to local storage fails, a notice appears and the answer is still completed', async ({
  page,
  funded: _funded,
}) => {
  await page.goto('/')
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible()
  // If writing failed earlier, the migration would fail instead.
  await expect.poll(() => stored(page, 'migrationsVersion')).toBe('3')
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('The file is corrupted.', 'UnknownError')
    }
  })
  await ask(page, 'Still there?')
  await expect(page.getByText('could not be kept in this browser')).toBeVisible()
  await expect(answerOn(page)).toContainText('You said: Still there?')
  await expect(page.getByRole('button', { name: 'Send' })).toBeVisible()
  await expect(page.getByText('connection was lost')).toHaveCount(0)
})
