import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expect, test } from '@/test/support/test'
import { answerOn, ask, imagesOfVersion1, storeBefore, storeImages } from './local-data/browser-store'

const AT_A_GATE = { images: { beforeHeaders: [{ type: 'gate' as const, name: 'drawing' }] } }

async function choosePainter(page: Page) {
  await page.getByRole('combobox', { name: 'Model' }).click()
  await page
    .getByRole('dialog')
    .getByRole('option', { name: /Stand-in Painter/ })
    .click()
}

const pictureOn = (page: Page) => answerOn(page).getByRole('img', { name: 'Picture by the model' })

test('a drawn picture shows its price, survives a reload, and can be saved to disk @phone', async ({
  page,
  funded,
  balance,
}) => {
  await page.goto('/')
  await page.getByRole('combobox', { name: 'Model' }).click()
  const option = page.getByRole('dialog').getByRole('option', { name: /Stand-in Painter/ })
  await expect(option).toContainText('Draws')
  await expect(option).toContainText('4 cents a picture')
  await option.click()
  await expect(page.getByRole('combobox', { name: 'Model' })).toContainText('4 cents a picture')
  await ask(page, 'A copper coin')

  await expect(pictureOn(page)).toBeVisible()
  await expect(answerOn(page)).toContainText('4 cents')
  await expect(page.getByRole('status', { name: 'Balance' })).toContainText('$0.96')
  expect(await balance(funded)).toBe(0.96)

  await page.reload()
  await expect(pictureOn(page)).toBeVisible()
  const download = page.waitForEvent('download')
  await answerOn(page).getByRole('button', { name: 'Save picture' }).click()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^picture-.*\.png$/)
  expect(
    readFileSync(await file.path())
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG')
})

test('an attached picture is a small square, whatever its shape', async ({ page }) => {
  await page.goto('/')
  const address = await page.evaluate(() => {
    const canvas = document.createElement('canvas')
    canvas.width = 300
    canvas.height = 100
    return canvas.toDataURL()
  })
  const buffer = Buffer.from(address.slice(address.indexOf(',') + 1), 'base64')
  const file = { name: 'wide.png', mimeType: 'image/png', buffer }
  await page.locator('form input[type="file"]').setInputFiles(file)
  const picture = page.getByRole('img', { name: 'Attached picture' })
  await expect(picture).toBeVisible()
  expect(await picture.boundingBox()).toMatchObject({ width: 72, height: 72 })
})

test('a question is not sent before all of its pictures are attached', async ({ page, funded: _funded }) => {
  await page.addInitScript(() => {
    const decode = window.createImageBitmap
    const decoding = new Promise(resolve => window.addEventListener('decode', resolve))
    const decodeLater = async (...given: Parameters<typeof decode>) => decoding.then(() => decode(...given))
    Object.assign(window, { createImageBitmap: decodeLater })
  })
  await page.goto('/')
  const names = ['public/icon-192.png', 'public/icon-512.png']
  await page.locator('form input[type="file"]').setInputFiles(names)
  const send = page.getByRole('button', { name: 'Send' })
  await page.getByRole('textbox', { name: 'Message' }).fill('What is this?')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Remove icon-512.png' })).toBeVisible()
  await expect(send).toBeDisabled()
  await page.evaluate(() => window.dispatchEvent(new Event('decode')))
  await send.click()
  const question = page.getByRole('article', { name: 'Your message' })
  await expect(question.getByRole('img')).toHaveCount(2)
})

test('a reload while a picture is being drawn still shows it, and it is charged once', async ({
  page,
  funded,
  balance,
  upstream,
}) => {
  await upstream.setScript(AT_A_GATE)
  await page.goto('/')
  await choosePainter(page)
  await ask(page, 'A copper coin')
  await upstream.gateReached('drawing')
  await expect(answerOn(page)).toContainText('is drawing')

  await page.reload()
  await upstream.openGate('drawing')
  await expect(pictureOn(page)).toBeVisible()
  await expect(answerOn(page)).toContainText('4 cents')
  expect(await balance(funded)).toBe(0.96)
  const calls = (await upstream.requests()).filter(({ path }) => path === '/images/generations')
  expect(calls).toHaveLength(1)
  expect(calls[0]?.body).toMatchObject({ prompt: 'A copper coin', n: 1 })
})

test('stopping too late says so, and the picture that is charged still appears', async ({
  page,
  funded,
  balance,
  upstream,
}) => {
  await upstream.setScript(AT_A_GATE)
  await page.goto('/')
  await choosePainter(page)
  await ask(page, 'A copper coin')
  await upstream.gateReached('drawing')
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(answerOn(page)).toContainText('Too late to stop')
  await expect(page.getByRole('button', { name: 'Send' })).toBeVisible()
  await upstream.openGate('drawing')
  await expect(pictureOn(page)).toBeVisible()
  await expect(answerOn(page)).toContainText('4 cents')
  expect(await balance(funded)).toBe(0.96)
})

test('a failed picture is not charged, says so, and can be retried', async ({
  page,
  funded,
  balance,
  upstream,
}) => {
  await upstream.setScript({ images: [{ status: 500, body: {} }, {}] })
  await page.goto('/')
  await choosePainter(page)
  await ask(page, 'A copper coin')
  await expect(answerOn(page)).toContainText('$0.00 — you were not charged')
  expect(await balance(funded)).toBe(1)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(pictureOn(page)).toBeVisible()
  await expect(answerOn(page)).toHaveCount(1)
  expect(await balance(funded)).toBe(0.96)
})

test.describe('the image store in IndexedDB with version 1', () => {
  /** A picture of a single copper pixel. */
  const PIXEL =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

  async function draw(page: Page) {
    await choosePainter(page)
    await ask(page, 'A copper coin')
    await expect(answerOn(page).last().getByRole('img', { name: 'Picture by the model' })).toBeVisible()
    await page.reload()
    await expect(pictureOn(page).last()).toBeVisible()
  }

  test('has new pictures in a format that another program can read', async ({ page, funded: _funded }) => {
    await page.goto('/')
    await draw(page)
    const shown = (await pictureOn(page).getAttribute('src')) ?? ''
    const records = await imagesOfVersion1(page)
    expect(shown).toMatch(/^data:image\/[a-z]+;base64,/)
    expect(records.map(record => record.base64_json)).toEqual([shown.slice(shown.indexOf(',') + 1)])
  })

  test('is read and written in the format of the other program that created it', async ({
    page,
    funded: _funded,
  }) => {
    const url = 'https://images.example/1.png'
    const part = { type: 'image_url', image_url: url, created_at: '2026-11-20' }
    const messages = [{ content: [{ type: 'text', text: 'Which coin?' }, part] }, { content: 'A penny.' }]
    await storeBefore(page, {
      conversationHistory: JSON.stringify([{ id: 'a', created_at: '2026-11-20', messages }]),
    })
    const foreign = { image_url: { url, created_at: '2026-11-20' }, base64_json: PIXEL }
    await storeImages(page, { version: 1, options: { autoIncrement: true }, records: [foreign] })
    await page.goto('/#a')
    const picture = page.getByRole('article', { name: 'Your message' }).getByRole('img')
    await expect(picture).toHaveAttribute('src', `data:image/png;base64,${PIXEL}`)
    await draw(page)
    const [kept, drawn, ...others] = await imagesOfVersion1(page)
    expect(kept).toEqual(foreign)
    expect(drawn?.image_url.url).toMatch(/^image-store:/)
    expect(others).toEqual([])
  })
})
