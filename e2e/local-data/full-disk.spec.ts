import { accessibilityViolations } from '@/test/support/axe'
import { expect, test } from '@/test/support/test'
import {
  answerOn,
  archivedText,
  ask,
  conversation,
  conversationsOn,
  fillDisk,
  largeHistory,
  storeBefore,
  stored,
} from './browser-store'

test('a full local storage opens a warning, and the answer is still there after a reload', async ({
  page,
  funded: _funded,
}) => {
  await page.goto('/')
  await fillDisk(page, 200)
  await ask(page, 'Does this get lost?')
  const dialog = page.getByRole('dialog', { name: 'Storage full' })
  await expect(dialog).toBeVisible()
  await expect(dialog.getByRole('meter', { name: 'Local storage' })).toHaveAttribute(
    'aria-valuetext',
    /MB used/,
  )
  await expect(answerOn(page)).toContainText('You said: Does this get lost?')
  // The write at the end of the answer may fail once more and open the warning again.
  await expect(async () => {
    if (await dialog.isVisible())
      await dialog.getByRole('button', { name: 'Close' }).click({ timeout: 1_000 })
    await expect(dialog).toBeHidden({ timeout: 1_000 })
  }).toPass()

  // The address opens the conversation wherever it was stored.
  await page.reload()
  await expect(answerOn(page)).toContainText('You said: Does this get lost?')
  await expect(page.getByRole('navigation', { name: 'Conversations' })).toContainText('Does this get lost?')
})

test('the warning can be closed with the keyboard, and does not reopen while the answer continues', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  const steps = [
    { type: 'text' as const, text: 'The first half, ' },
    { type: 'gate' as const, name: 'half' },
    { type: 'text' as const, text: 'the second.' },
  ]
  await upstream.setScript({ chat: { steps } })
  await page.goto('/')
  await fillDisk(page, 200)
  await ask(page, `Tell me a story ${'x'.repeat(300)}`)
  const dialog = page.getByRole('dialog', { name: 'Storage full' })
  await expect(dialog).toBeVisible()
  expect(await accessibilityViolations(page)).toEqual([])
  await page.keyboard.press('Tab')
  await expect(dialog.locator(':focus')).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await upstream.gateReached('half')
  await expect(answerOn(page)).toContainText('The first half')
  // The answer so far is written to the archive; writing it to local storage would have opened the warning again.
  await expect.poll(() => archivedText(page)).toContain('The first half')
  await expect(dialog).toBeHidden()
  await upstream.openGate('half')
})

test('with a full storage and a failed migration, the two warnings appear one after the other and can be resolved', async ({
  page,
}) => {
  const withPart = (day: number) => ({
    ...conversation(`old-${day}`, '', day),
    messages: [
      {
        content: [
          { type: 'text', text: `Question ${day} ${'word '.repeat(20_000)}` },
          { type: 'image_url', image_url: { url: 'https://images.example/1.png' } },
        ],
      },
    ],
  })
  const history = Array.from({ length: 25 }, (_, index) => withPart(index + 1))
  await storeBefore(page, { conversationHistory: JSON.stringify(history) })
  await fillDisk(page, 20)
  await page.goto('/')
  const full = page.getByRole('dialog', { name: 'Storage full' })
  const failed = page.getByRole('dialog', { name: 'Your data could not be brought up to date' })
  await expect(full).toBeVisible()
  await expect(failed).toBeHidden()
  await full.getByRole('button', { name: 'Move older chats to the archive' }).click()
  await expect(full.getByText(/5 chats moved/)).toBeVisible()
  await full.getByRole('button', { name: 'Close' }).click()
  await failed.getByRole('button', { name: 'Try again' }).click()
  await expect(failed).toBeHidden()
  await expect.poll(() => stored(page, 'migrationsVersion')).toBe('3')
  await expect(conversationsOn(page).getByRole('listitem')).toHaveCount(25)
})

test('older chats move to the archive, and can still be found in the list and by searching', async ({
  page,
}) => {
  await storeBefore(page, { conversationHistory: JSON.stringify(largeHistory()) })
  await page.goto('/')
  const conversations = conversationsOn(page)
  await expect
    .poll(async () => JSON.parse((await stored(page, 'conversationHistory')) ?? '[]').length)
    .toBe(20)
  await expect(conversations.getByText('Question number 100')).toHaveCount(1)
  await conversations.getByRole('searchbox').fill('number 103')
  await conversations.getByText('Question number 103').first().click()
  await expect(page.getByRole('article', { name: 'Your message' })).toContainText('Question number 103')
})
