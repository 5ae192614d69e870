import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expect, test } from '@/test/support/test'

const AT_A_GATE = { images: { beforeHeaders: [{ type: 'gate' as const, name: 'drawing' }] } }

async function choosePainter(page: Page) {
  await page.getByRole('combobox', { name: 'Model' }).click()
  await page
    .getByRole('dialog')
    .getByRole('option', { name: /Stand-in Painter/ })
    .click()
}

async function ask(page: Page, text: string) {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

const answerOn = (page: Page) => page.getByRole('article', { name: 'Assistant message' })
const pictureOn = (page: Page) => answerOn(page).getByRole('img', { name: 'Picture by the model' })

test('a picture is drawn, priced, kept through a reload, and saved to disk @phone', async ({
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

test('a reload while it is drawn gets the picture, and pays once', async ({
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

test('a stop that comes too late says so, and the picture that is paid for appears', async ({
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

test('a picture that fails costs nothing, says so, and is drawn by trying again', async ({
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
