import type { Page } from '@playwright/test'
import { expect, test, type UpstreamControl } from '@/test/support/test'

const answers = (page: Page) => page.getByRole('article', { name: 'Assistant message' })
const questions = (page: Page) => page.getByRole('article', { name: 'Your message' })

const say = (upstream: UpstreamControl, text: string) =>
  upstream.setScript({ chat: { steps: [{ type: 'text', text }] } })

/** What went to the model last, by role. */
async function lastSent(upstream: UpstreamControl): Promise<unknown> {
  const asked = (await upstream.requests()).filter(({ path }) => path === '/chat/completions')
  return Object(asked.at(-1)?.body).messages
}

test('turns are asked again, edited, walked through, taken out and brought back @phone', async ({
  page,
  funded,
  upstream,
}) => {
  expect(funded.creditId).not.toBe('')
  await page.goto('/')
  await say(upstream, 'Salt.')
  await page.getByRole('textbox', { name: 'Message' }).fill('What is in the sea?')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(answers(page)).toContainText('Salt.')

  // Another answer in the same place, with its price told before.
  await say(upstream, 'Fish.')
  await answers(page).getByRole('button', { name: 'Answer again' }).click()
  const again = page.getByRole('menu').getByRole('menuitem').first()
  await expect(again).toBeFocused()
  await expect(again).toContainText('≈ ')
  await again.press('Enter')
  await expect(answers(page)).toContainText('Fish.')
  await expect(answers(page)).toHaveCount(1)
  await expect(answers(page).getByText('Version 2 of 2')).toBeAttached()
  expect(await lastSent(upstream)).toEqual([{ role: 'user', content: 'What is in the sea?' }])

  // The question in other words; the first one and both of its answers stay beside it.
  await say(upstream, 'Bread.')
  await questions(page).getByRole('button', { name: 'Edit' }).click()
  await expect(page.getByRole('textbox', { name: 'Edit message' })).toBeFocused()
  await page.getByRole('textbox', { name: 'Edit message' }).fill('What is in the oven?')
  await questions(page).getByRole('button', { name: 'Send' }).click()
  await expect(answers(page)).toContainText('Bread.')
  await expect(questions(page)).toContainText('oven')

  // All of it survives a reload, and the way back shows what was shown there.
  await page.reload()
  await expect(questions(page)).toContainText('oven')
  await questions(page).getByRole('button', { name: 'Previous version' }).click()
  await expect(questions(page)).toContainText('sea')
  await expect(answers(page)).toContainText('Fish.')
  await answers(page).getByRole('button', { name: 'Previous version' }).click()
  await expect(answers(page)).toContainText('Salt.')

  // A branch is taken out and brought back.
  await questions(page).getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete from here on' }).click()
  await expect(questions(page)).toContainText('oven')
  await expect(questions(page).getByRole('group', { name: 'Versions' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(questions(page)).toContainText('sea')

  // A conversation of its own, from here on.
  await answers(page).getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Continue in a new chat' }).click()
  await expect(answers(page).getByRole('group', { name: 'Versions' })).toHaveCount(0)
  await expect(questions(page)).toContainText('sea')
})

test('a chat is begun, acted on and found again by keyboard alone', async ({ page, funded, upstream }) => {
  expect(funded.creditId).not.toBe('')
  const focused = page.locator(':focus')
  const box = page.getByRole('textbox', { name: 'Message' })
  const pressed = async (...keys: string[]) => {
    const names: (string | null)[] = []
    for (const key of keys) {
      await page.keyboard.press(key)
      names.push(await focused.getAttribute('aria-label'))
    }
    return names
  }
  for (const word of ['Sea', 'Oven']) {
    await say(upstream, 'Salt.')
    await page.goto('/')
    await page.getByRole('button', { name: 'New chat' }).press('Enter')
    await expect(box).toBeFocused()
    await page.keyboard.type(word)
    expect(await pressed('Tab', 'Tab')).toEqual(['Attach file', 'Send'])
    await page.keyboard.press('Enter')
    await expect(box).toBeFocused()
    await expect(answers(page).getByRole('button', { name: 'More' })).toBeVisible()
  }
  // Back from the box: the price, then what can be done with the answer.
  const back = await pressed(...Array(6).fill('Shift+Tab'))
  expect(back).toEqual(expect.arrayContaining(['More', 'Answer again', 'Copy answer']))

  const list = page.getByRole('navigation', { name: 'Conversations' })
  await expect(list.locator('li a[tabindex="0"]')).toHaveText('Oven')
  await list.locator('li a[tabindex="0"]').press('ArrowDown')
  await expect(focused).toHaveText('Sea')
  expect(await pressed('ArrowRight', 'ArrowRight')).toEqual(['Rename', 'Delete'])
  await page.keyboard.press('Tab')
  await expect(list.locator(':focus')).toHaveCount(0)
  await page.keyboard.press('Shift+Tab')
  await expect(focused).toHaveText('Sea')
  await page.keyboard.press('Enter')
  await expect(questions(page)).toContainText('Sea')
  await expect(box).toBeFocused()
})

test('an answer that reached its limit is carried on in its place', async ({ page, funded, upstream }) => {
  expect(funded.creditId).not.toBe('')
  await page.goto('/')
  await upstream.setScript({ chat: { steps: [{ type: 'text', text: 'One, two,' }], finishReason: 'length' } })
  await page.getByRole('textbox', { name: 'Message' }).fill('Count to four')
  await page.getByRole('button', { name: 'Send' }).click()
  await say(upstream, ' three, four.')
  await answers(page)
    .getByRole('button', { name: /^Continue ≈/ })
    .click()
  await expect(answers(page)).toHaveCount(2)
  await expect(answers(page).last()).toContainText('three, four.')
  await expect(page.getByRole('button', { name: /^Continue ≈/ })).toHaveCount(0)
  expect(await lastSent(upstream)).toEqual([
    { role: 'user', content: 'Count to four' },
    { role: 'assistant', content: 'One, two,' },
    { role: 'user', content: expect.stringContaining('exactly where it stopped') },
  ])
})
