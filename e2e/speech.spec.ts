import type { Page } from '@playwright/test'
import { createAccount } from '@/test/support/account'
import { accessibilityViolations } from '@/test/support/axe'
import { expect, test, type UpstreamControl } from '@/test/support/test'
import { answerOn, ask } from './local-data/browser-store'

/** Longer than any test runs, so that speech plays until it is stopped. */
const WITHOUT_END_SECONDS = 600
const A_MOMENT_SECONDS = 0.1
const ANSWER = 'A heat pump moves **warmth**. It does not make it.'

async function getAnswer(page: Page, upstream: UpstreamControl, audioSeconds: number) {
  await upstream.setScript({ chat: { steps: [{ type: 'text', text: ANSWER }] }, speech: { audioSeconds } })
  await page.goto('/')
  await ask(page, 'How does a heat pump work?')
  const answer = answerOn(page)
  await expect(answer).toContainText('It does not make it.')
  return answer
}

async function spokenRequests(upstream: UpstreamControl) {
  return (await upstream.requests()).filter(({ path }) => path === '/audio/speech')
}

test('an answer can be read aloud, paused and stopped, and the price shown is charged @phone', async ({
  page,
  funded,
  balance,
  upstream,
}) => {
  const answer = await getAnswer(page, upstream, WITHOUT_END_SECONDS)
  const start = answer.getByRole('button', { name: /Read aloud ≈ 0\.0\d+ cents/ })
  await expect(start).toBeVisible()
  const before = await balance(funded)
  await start.click()
  await answer.getByRole('button', { name: 'Pause' }).click()
  await expect(answer.getByRole('progressbar', { name: 'Position' })).toBeVisible()
  expect(await accessibilityViolations(page)).toEqual([])
  await answer.getByRole('button', { name: 'Continue' }).click()
  await expect(answer.getByRole('button', { name: 'Pause' })).toBeFocused()
  await expect(answer).toContainText(/read aloud 0\.0\d+ cents/)
  await answer.getByRole('button', { name: 'End reading' }).click()
  await expect(answer.getByRole('button', { name: 'Listen again' })).toBeFocused()

  const [spoken] = await spokenRequests(upstream)
  expect(spoken?.body).toMatchObject({
    model: 'standin/voice',
    voice: 'alloy',
    input: 'A heat pump moves warmth. It does not make it.',
  })
  const price = await answer.getByText('read aloud').getAttribute('title')
  expect(before - (await balance(funded))).toBeCloseTo(Number(price?.slice(1)), 9)
})

test('the model’s name next to two prices does not wrap in a narrow window', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  await page.setViewportSize({ width: 320, height: 640 })
  const answer = await getAnswer(page, upstream, A_MOMENT_SECONDS)
  await answer.getByRole('button', { name: 'Read aloud' }).click()
  await expect(answer).toContainText(/read aloud 0\.0\d+ cents/)
  const name = await answer.getByText('Stand-in Small').boundingBox()
  expect(name?.width).toBeGreaterThan(name?.height ?? 0)
})

test('speech that was played to its end is replayed for free, and its price is still shown', async ({
  page,
  funded,
  balance,
  upstream,
}) => {
  const answer = await getAnswer(page, upstream, A_MOMENT_SECONDS)
  await answer.getByRole('button', { name: 'Read aloud' }).click()
  const again = answer.getByRole('button', { name: 'Listen again' })
  await expect(again).toBeVisible()
  await expect(answer).toContainText(/read aloud 0\.0\d+ cents/)
  const left = await balance(funded)
  await again.click()
  await expect(answer.getByText('Finished reading.')).toBeAttached()
  await expect(again).toBeVisible()
  await page.reload()
  await expect(answer).toContainText(/read aloud 0\.0\d+ cents/)
  expect(await spokenRequests(upstream)).toHaveLength(1)
  expect(await balance(funded)).toBe(left)
})

test('without enough credit, reading aloud offers a top-up and requests nothing from the upstream', async ({
  page,
  request,
  funded: _funded,
  upstream,
}) => {
  const answer = await getAnswer(page, upstream, A_MOMENT_SECONDS)
  const empty = await createAccount(request, 0)
  await page.evaluate(id => localStorage.setItem('credit_id', id), empty.creditId)
  await page.reload()
  await answer.getByRole('button', { name: 'Read aloud' }).click()
  await expect(answer.getByRole('alert')).toContainText('Your balance is too low')
  expect(await spokenRequests(upstream)).toEqual([])
  await answer.getByRole('link', { name: 'Add credit' }).click()
  await expect(page).toHaveURL(/\/top-up\?return=/)
})

test('with the setting on, a new answer is read aloud automatically, but not again after a reload', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  await page.evaluate(() => localStorage.setItem('settings', JSON.stringify({ autoPlayTts: true })))
  const answer = await getAnswer(page, upstream, WITHOUT_END_SECONDS)
  await expect(answer.getByRole('button', { name: 'Pause' })).toBeVisible()
  await expect(answer).toContainText(/read aloud 0\.0\d+ cents/)
  await page.reload()
  await expect(answer.getByRole('button', { name: 'Read aloud' })).toBeVisible()
  expect(await spokenRequests(upstream)).toHaveLength(1)
})

test('with audio switched off in the settings, reading aloud is not offered and no audio route is called', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  await page.evaluate(() => localStorage.setItem('settings', JSON.stringify({ audioEnabled: false })))
  const requestedUrls: string[] = []
  page.on('request', sent => requestedUrls.push(new URL(sent.url()).pathname + new URL(sent.url()).search))
  const answer = await getAnswer(page, upstream, A_MOMENT_SECONDS)
  await expect(answer.getByRole('button', { name: 'Copy answer' })).toBeVisible()
  await expect(answer.getByRole('button', { name: 'Read aloud' })).toHaveCount(0)
  expect(requestedUrls.filter(address => address.startsWith('/v1/audio/'))).toEqual([])
})

test('dictation is transcribed into the message box, and its price is shown and charged @phone', async ({
  page,
  funded,
  balance,
}) => {
  await page.goto('/')
  const box = page.getByRole('textbox', { name: 'Message' })
  const before = await balance(funded)
  await page.getByRole('button', { name: 'Dictate' }).click()
  const panel = page.getByRole('group', { name: 'Dictate' })
  // Two seconds or, if nobody has looked meanwhile, more.
  await expect(panel.getByRole('timer')).toHaveText(/^0:(0[2-9]|[1-5]\d)$/)
  expect(await accessibilityViolations(page)).toEqual([])
  await panel.getByRole('button', { name: 'Write it down' }).click()
  // It is shown for some seconds only; from ten seconds of recording on, it is tenths of a cent.
  await expect(page.getByText(/Written down for 0\.\d+ cents/)).toBeVisible()
  await expect(box).toHaveValue('Hello from the recording.')
  await expect(panel).toHaveCount(0)
  expect(await balance(funded)).toBeLessThan(before)
  await page.reload()
  await expect(box).toHaveValue('Hello from the recording.')
})
