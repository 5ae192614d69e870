import { readFile } from 'node:fs/promises'
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

test('a wide table in a saved chat keeps its words whole on a phone', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  const row = (cell: string) => `|${` ${cell} |`.repeat(8)}`
  const table = [row('Denomination'), row('---'), row('Tetradrachm')].join('\n')
  await upstream.setScript({ chat: { steps: [{ type: 'text', text: table }] } })
  const errors: string[] = []
  page.on('console', message => message.type() === 'error' && errors.push(message.text()))
  await page.goto('/')
  await ask(page, 'Which coins were there?')
  await expect(answerOn(page).getByRole('table')).toBeVisible()
  const download = page.waitForEvent('download')
  await answerOn(page).getByRole('button', { name: 'More' }).click()
  await page.getByText('Save chat as web page').click()
  const saved = await readFile(await (await download).path(), 'utf8')
  expect(errors).toEqual([])

  await page.setViewportSize({ width: 320, height: 568 })
  await page.goto('about:blank')
  await page.setContent(saved)
  const lineCounts = await page.getByRole('cell').evaluateAll(cells =>
    cells.map(cell => {
      const range = document.createRange()
      range.selectNodeContents(cell)
      return range.getClientRects().length
    }),
  )
  expect(lineCounts).toEqual(Array.from({ length: 8 }, () => 1))
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
})
