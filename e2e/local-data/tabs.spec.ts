import type { Page } from '@playwright/test'
import { expect, test } from '@/test/support/test'
import {
  answerOn,
  ask,
  conversation,
  conversationsOn,
  largeHistory,
  storeBefore,
  storedJson,
} from './browser-store'

test('two tabs that start a conversation at the same time keep both', async ({
  page,
  context,
  funded: _funded,
}) => {
  const other = await context.newPage()
  await page.goto('/')
  await other.goto('/')
  await ask(page, 'Asked on the left')
  await ask(other, 'Asked on the right')
  for (const tab of [page, other]) {
    const conversations = conversationsOn(tab)
    await expect(conversations.getByText('Asked on the left')).toHaveCount(1)
    await expect(conversations.getByText('Asked on the right')).toHaveCount(1)
  }
  await expect(answerOn(page)).toContainText('You said: Asked on the left')
  await expect(answerOn(other)).toContainText('You said: Asked on the right')
  await page.reload()
  const conversations = conversationsOn(page)
  await expect(conversations.getByText('Asked on the left')).toHaveCount(1)
  await expect(conversations.getByText('Asked on the right')).toHaveCount(1)
})

test('the very first conversation appears in the list of another open tab', async ({
  page,
  context,
  funded: _funded,
}) => {
  const other = await context.newPage()
  await page.goto('/')
  await other.goto('/', { waitUntil: 'networkidle' })
  await ask(page, 'The very first')
  await expect(conversationsOn(other).getByText('The very first')).toHaveCount(1)
})

test('two tabs that ask in the same conversation at the same time keep both questions and answers', async ({
  page,
  context,
  funded: _funded,
}) => {
  // Storage events of other tabs are held back, as happens when two tabs ask at the same moment.
  await context.addInitScript(() => {
    window.addEventListener('storage', event => {
      if (document.documentElement.dataset.unaware === 'yes') event.stopImmediatePropagation()
    })
  })
  await storeBefore(page, { conversationHistory: JSON.stringify([conversation('a', 'First', 1)]) })
  const other = await context.newPage()
  for (const tab of [page, other]) {
    // Waits until the page is idle, since it checks the history once more at the end of loading.
    await tab.goto('/#a', { waitUntil: 'networkidle' })
    await expect(answerOn(tab)).toContainText('An answer to First')
    await tab.evaluate(() => {
      document.documentElement.dataset.unaware = 'yes'
    })
  }
  const answerTo = (tab: Page, side: string) =>
    answerOn(tab).filter({ hasText: `You said: Asked on the ${side}` })
  await Promise.all([ask(page, 'Asked on the left'), ask(other, 'Asked on the right')])
  await expect(answerTo(page, 'left')).toHaveCount(1)
  await expect(answerTo(other, 'right')).toHaveCount(1)
  // A tab that writes also reads, so the other tab's question may appear here too, with its answer in progress.
  for (const tab of [page, other]) {
    await expect(tab.getByText('The rest of this answer could not be fetched')).toHaveCount(0)
    await tab.reload()
  }
  for (const tab of [page, other]) {
    for (const side of ['left', 'right']) {
      const question = tab.getByRole('article', { name: 'Your message' })
      await expect(question.filter({ hasText: `Asked on the ${side}` })).toHaveCount(1)
      await expect(answerTo(tab, side)).toHaveCount(1)
    }
  }
})

test('pressing Stop in a second tab stops the answer in the first one too', async ({
  page,
  context,
  funded: _funded,
  upstream,
}) => {
  await upstream.setScript({ chat: { steps: [{ type: 'text', text: 'So far' }, { type: 'hang' }] } })
  await page.goto('/')
  await ask(page, 'Tell me')
  await expect(answerOn(page)).toContainText('So far')
  const other = await context.newPage()
  await other.goto('/')
  await conversationsOn(other).getByText('Tell me').first().click()
  await other.getByRole('button', { name: 'Stop' }).click()
  for (const tab of [page, other]) await expect(answerOn(tab)).toContainText('Stopped.')
  await expect(page.getByRole('button', { name: 'Send' })).toBeVisible()
})

test('the clean-up by one tab does not remove the conversation that another tab shows', async ({
  page,
  context,
}) => {
  await storeBefore(page, { conversationHistory: JSON.stringify(largeHistory()) })
  await page.goto('/#old-0')
  const question = page.getByRole('article', { name: 'Your message' })
  await expect(question).toContainText('Question number 100')
  const other = await context.newPage()
  await other.goto('/')
  await expect
    .poll(async () => Object.keys((await storedJson(other, 'conversationHistory')) ?? {}).length)
    .toBe(21)
  await expect(question).toContainText('Question number 100')
})

test('what is being written in a chat that another tab deletes stays in the message box', async ({
  page,
  context,
  funded: _funded,
}) => {
  await page.goto('/')
  await ask(page, 'The question')
  await expect(answerOn(page)).toContainText('You said: The question')
  const box = page.getByRole('textbox', { name: 'Message' })
  await box.fill('Half written')
  const other = await context.newPage()
  await other.goto('/')
  await conversationsOn(other).getByText('The question').first().hover()
  await conversationsOn(other).getByRole('button', { name: 'Delete' }).click()
  await expect(conversationsOn(page).getByText('The question')).toHaveCount(0)
  await expect(box).toHaveValue('Half written')
  await other.getByRole('button', { name: 'Undo' }).click()
  await expect(conversationsOn(page).getByText('The question').first()).toBeVisible()
  await expect(box).toHaveValue('Half written')
  // In the tab that deletes it, the draft goes and comes back with its chat.
  await conversationsOn(page).getByText('The question').first().click()
  await box.fill('Written in the old chat')
  await conversationsOn(page).getByRole('button', { name: 'Delete' }).click()
  await expect(box).toHaveValue('Half written')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(box).toHaveValue('Written in the old chat')
  // WebKit hides what has had the focus before it was first seen: the row that is back has the focus, and is drawn.
  const focused = conversationsOn(page)
    .getByRole('listitem')
    .filter({ has: page.locator('a:focus') })
  await expect(focused).toHaveCSS('content-visibility', 'visible')
})

test('a page restored from the back/forward cache does not show conversations deleted meanwhile', async ({
  page,
}) => {
  await storeBefore(page, { conversationHistory: JSON.stringify([conversation('a', 'Old question', 1)]) })
  await page.goto('/')
  await expect(conversationsOn(page).getByText('Old question')).toBeVisible()
  // A page receives no events for its own writes, just as a frozen page receives none from other tabs.
  await page.evaluate(() => localStorage.clear())
  await page.evaluate(() => {
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
  })
  await expect(conversationsOn(page).getByText('Old question')).toBeHidden()
})
