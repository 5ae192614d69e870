import { expect, test } from '@/test/support/test'
import { answerOn, ask } from './local-data/browser-store'

/** A picture of one transparent pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('a printed chat shows the pictures and the names of the files that were attached', async ({
  page,
  funded: _funded,
}) => {
  await page.goto('/')
  await page.locator('form input[type="file"]').setInputFiles([
    { name: 'coin.png', mimeType: 'image/png', buffer: PNG },
    { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('Struck in Lydia.') },
  ])
  await expect(page.getByText('2 files attached')).toBeAttached()
  await ask(page, 'What is this?')
  await expect(answerOn(page)).toContainText('You said')

  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('button', { name: 'Copy answer' })).toBeHidden()
  const question = page.getByRole('article', { name: 'Your message' })
  await expect(question.getByRole('img')).toBeVisible()
  await expect(question.getByText('notes.md')).toBeVisible()
})
