import type { Page } from '@playwright/test'
import { routing } from '@/lib/i18n/routing'
import { accessibilityViolations } from '@/test/support/axe'
import { messagesIn } from '@/test/support/messages'
import { pressedSize } from '@/test/support/pressed-size'
import { expect, test, type UpstreamControl } from '@/test/support/test'
import { answerOn as answers, ask } from './local-data/browser-store'

const questions = (page: Page) => page.getByRole('article', { name: 'Your message' })

const scriptAnswer = (upstream: UpstreamControl, text: string) =>
  upstream.setScript({ chat: { steps: [{ type: 'text', text }] } })

/** The messages that were sent to the model last. */
async function lastSent(upstream: UpstreamControl): Promise<unknown> {
  const chatRequests = (await upstream.requests()).filter(({ path }) => path === '/chat/completions')
  return Object(chatRequests.at(-1)?.body).messages
}

test('turns are asked again, edited, browsed, deleted and restored @phone', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  await page.goto('/')
  await scriptAnswer(upstream, 'Salt.')
  await ask(page, 'What is in the sea?')
  await expect(answers(page)).toContainText('Salt.')

  // Another answer in the same place, with its price shown before.
  await scriptAnswer(upstream, 'Fish.')
  await answers(page).getByRole('button', { name: 'Answer again' }).click()
  const again = page.getByRole('menu').getByRole('menuitem').first()
  await expect(again).toBeFocused()
  await expect(again).toContainText('≈ ')
  await again.press('Enter')
  await expect(answers(page)).toContainText('Fish.')
  await expect(answers(page)).toHaveCount(1)
  await expect(answers(page).getByText('Version 2 of 2')).toBeAttached()
  expect(await lastSent(upstream)).toEqual([{ role: 'user', content: 'What is in the sea?' }])

  // The edited question; the original and both of its answers stay as versions.
  await scriptAnswer(upstream, 'Bread.')
  await questions(page).getByRole('button', { name: 'Edit' }).click()
  await expect(page.getByRole('textbox', { name: 'Edit message' })).toBeFocused()
  await page.getByRole('textbox', { name: 'Edit message' }).fill('What is in the oven?')
  await questions(page).getByRole('button', { name: 'Send' }).click()
  await expect(answers(page)).toContainText('Bread.')
  await expect(questions(page)).toContainText('oven')

  // Everything survives a reload, and going back shows the same answer as before.
  await page.reload()
  await expect(questions(page)).toContainText('oven')
  await questions(page).getByRole('button', { name: 'Previous version' }).click()
  await expect(questions(page)).toContainText('sea')
  await expect(answers(page)).toContainText('Fish.')
  await answers(page).getByRole('button', { name: 'Previous version' }).click()
  await expect(answers(page)).toContainText('Salt.')

  // A branch is deleted and restored.
  await questions(page).getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete from here on' }).click()
  await expect(questions(page)).toContainText('oven')
  await expect(questions(page).getByRole('group', { name: /^Version/ })).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(questions(page)).toContainText('sea')

  // A new conversation that branches off here.
  await answers(page).getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Continue in a new chat' }).click()
  await expect(answers(page).getByRole('group', { name: /^Version/ })).toHaveCount(0)
  await expect(questions(page)).toContainText('sea')
})

/** Of 44 pixels at a fraction of one, 43 are hit whole. */
const WHOLE_PIXELS_MIN = 43

test('the buttons for versions can be pressed on 44 pixels, and no price lies on what is above it @touch', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  await page.goto('/')
  await scriptAnswer(upstream, 'Salt.')
  await ask(page, 'What is in the sea?')
  await expect(answers(page)).toContainText('Salt.')
  const more = answers(page).getByRole('button', { name: 'More' })
  for (const width of [320, 360, 390, 430]) {
    await page.setViewportSize({ width, height: 740 })
    // All that is seen of it, and what is above.
    const heightOf = async () => (await pressedSize(more)).height
    await expect.poll(heightOf).toBeGreaterThanOrEqual(37)
  }
  await answers(page).getByRole('button', { name: 'Answer again' }).click()
  await page.getByRole('menuitem').first().click()
  await expect(answers(page).getByText('Version 2 of 2')).toBeAttached()
  for (const width of [320, 360, 390, 430]) {
    await page.setViewportSize({ width, height: 740 })
    for (const name of ['Copy answer', 'Answer again', 'More', 'Previous version', 'Next version']) {
      const widthOf = async () => (await pressedSize(answers(page).getByRole('button', { name }))).width
      await expect.poll(widthOf).toBeGreaterThanOrEqual(WHOLE_PIXELS_MIN)
    }
  }
})

test('the buttons above code, and the price of the next message, can be pressed on 44 pixels @touch', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  await page.goto('/')
  await scriptAnswer(upstream, '```mermaid\nflowchart LR\n  River --> Sea\n```')
  await ask(page, 'Where does the river go?')
  const price = page.getByRole('button', { name: /^≈ / })
  for (const width of [320, 360, 390, 430]) {
    await page.setViewportSize({ width, height: 740 })
    for (const name of ['Draw the diagram', 'Wrap lines', /^Save as/, 'Copy code']) {
      const sizeOf = async () => {
        const { width, height } = await pressedSize(answers(page).getByRole('button', { name }))
        return Math.min(width, height)
      }
      await expect.poll(sizeOf).toBeGreaterThanOrEqual(WHOLE_PIXELS_MIN)
    }
    const heightOf = async () => (await pressedSize(price)).height
    await expect.poll(heightOf).toBeGreaterThanOrEqual(WHOLE_PIXELS_MIN)
  }
})

test('a message that waits is edited and discarded by buttons of 44 pixels @touch', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  await upstream.setScript({
    chat: {
      steps: [
        { type: 'text', text: 'Salt' },
        { type: 'gate', name: 'sea' },
      ],
    },
  })
  await page.goto('/')
  await ask(page, 'What is in the sea?')
  await expect(answers(page)).toContainText('Salt')
  await ask(page, 'And in the oven?')
  for (const name of ['Edit queued message', 'Drop this message']) {
    const widthOf = async () => (await pressedSize(page.getByRole('button', { name }))).width
    await expect.poll(widthOf).toBeGreaterThanOrEqual(WHOLE_PIXELS_MIN)
  }
  await upstream.openGate('sea')
})

test('a chat is started, used and found again with the keyboard alone', async ({
  page,
  funded: _funded,
  upstream,
}) => {
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
    await scriptAnswer(upstream, 'Salt.')
    await page.goto('/')
    await page.getByRole('button', { name: 'New chat' }).press('Enter')
    await expect(box).toBeFocused()
    await page.keyboard.type(word)
    await page.getByRole('button', { name: 'Dictate' }).waitFor()
    expect(await pressed(...Array(6).fill('Tab'))).toEqual([
      'Prompts',
      'Instructions for this chat',
      'Attach file',
      'Dictate',
      // The price, which is its own name.
      null,
      'Send',
    ])
    await page.keyboard.press('Enter')
    await expect(box).toBeFocused()
    await expect(answers(page).getByRole('button', { name: 'More' })).toBeVisible()
  }
  // Tabbing back from the message box: the price, then the actions on the answer.
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

test('an answer that reached its limit is continued in its place', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  await page.goto('/')
  await upstream.setScript({ chat: { steps: [{ type: 'text', text: 'One, two,' }], finishReason: 'length' } })
  await ask(page, 'Count to four')
  await expect(answers(page)).toContainText('One, two,')
  await scriptAnswer(upstream, ' three, four.')
  const goOn = answers(page).getByRole('button', { name: /^Continue for up to/ })
  await goOn.click()
  await expect(answers(page)).toContainText('One, two, three, four.')
  await expect(answers(page)).toHaveCount(1)
  await expect(goOn).toHaveCount(0)
  expect(await lastSent(upstream)).toEqual([
    { role: 'user', content: 'Count to four' },
    { role: 'assistant', content: 'One, two,' },
    { role: 'user', content: expect.stringContaining('exactly where it stopped') },
  ])
})

/** The dialog in which the models to compare are chosen. */
async function openComparison(page: Page) {
  await page.getByRole('combobox', { name: 'Model' }).first().click()
  await page.getByRole('button', { name: 'Compare several models' }).click()
  return page.getByRole('dialog', { name: 'Compare models' })
}

test('on a phone four models to compare take one line above the message box', async ({
  page,
  funded: _funded,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/')
  const options = (await openComparison(page)).getByRole('option')
  for (const place of [1, 2, 3]) await options.nth(place).click()
  await page.getByRole('button', { name: 'Compare these' }).click()
  const chosen = page.getByRole('list', { name: 'To be compared' })
  await expect(chosen.getByRole('button')).toHaveCount(4)
  expect((await chosen.boundingBox())?.height).toBeLessThan(60)
})

test('models answer side by side through a reload, and one is kept or merged @phone', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  await page.goto('/')
  const options = (await openComparison(page)).getByRole('option')
  // The chat's model is selected already.
  await options.nth(1).click()
  await expect(page.getByText(/^2 models · together about/)).toBeVisible()
  await page.getByRole('button', { name: 'Compare these' }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill('What is in the sea?')
  await expect(page.getByRole('list', { name: 'To be compared' }).getByText('≈')).toHaveCount(2)
  const text = (words: string) => ({ type: 'text', text: words }) as const
  const steps = [text('Before. '), { type: 'gate', name: 'compared' } as const, text('After.')]
  await upstream.setScript({ chat: { steps } })
  await page.getByRole('button', { name: 'Send' }).click()
  const columns = page.getByRole('group', { name: '2 answers side by side' })
  await expect(columns.getByText('Before.')).toHaveCount(2)

  // Each answer continues where it was, and none is requested twice.
  await page.reload()
  await expect(columns.getByText('Before.')).toHaveCount(2)
  await upstream.openGate('compared')
  await expect(columns.getByText('Before. After.')).toHaveCount(2)
  await expect(answers(page).locator('summary', { hasText: /0\.0\d+ cents/ })).toHaveCount(2)
  const chatRequests = (await upstream.requests()).filter(({ path }) => path === '/chat/completions')
  expect(new Set(chatRequests.map(({ body }) => Object(body).model)).size).toBe(2)
  expect(chatRequests).toHaveLength(2)
  expect(await accessibilityViolations(page)).toEqual([])

  await scriptAnswer(upstream, 'Both are right.')
  await columns.getByRole('button', { name: 'Merge into one…' }).click()
  const judge = page.getByRole('dialog', { name: 'Merge into one answer' }).getByRole('option').first()
  await expect(judge).toContainText('≈ ')
  await judge.click()
  await expect(answers(page)).toHaveCount(1)
  await expect(answers(page)).toContainText('Both are right.')
  await expect(answers(page).getByText('Version 3 of 3')).toBeAttached()
  expect(await lastSent(upstream)).toEqual([
    {
      role: 'user',
      content: expect.stringMatching(/^What is in the sea\?.*\["Before\. After\.","Before\. After\."\]$/s),
    },
  ])

  // The next message continues from the answer that is shown, as if it had been the only one.
  await answers(page).getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Show side by side' }).click()
  await page
    .getByRole('group', { name: '3 answers side by side' })
    .getByRole('button', { name: 'Keep this one' })
    .first()
    .click()
  await expect(answers(page)).toHaveCount(1)
  await ask(page, 'And in the oven?')
  await expect(answers(page)).toHaveCount(2)
  await expect(answers(page).last()).toContainText('Both are right.')
  expect(await lastSent(upstream)).toEqual([
    { role: 'user', content: 'What is in the sea?' },
    { role: 'assistant', content: 'Before. After.' },
    { role: 'user', content: 'And in the oven?' },
  ])
})

test('on a phone the buttons below the models to compare are as wide as their line', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  for (const locale of routing.locales) {
    const { chat, compare } = messagesIn(locale)
    await page.goto(`/${locale}`)
    await page.getByRole('combobox').first().click()
    await page.getByRole('button', { name: compare.several }).click()
    const dialog = page.getByRole('dialog', { name: compare.title })
    const line = await dialog.getByRole('combobox', { name: chat.searchModels }).boundingBox()
    const [one, several] = await Promise.all(
      [compare.onlyOne, compare.ask].map(name => dialog.getByRole('button', { name }).boundingBox()),
    )
    const edges = (box: typeof line | undefined) => [
      Math.round(box?.x ?? 0),
      Math.round((box?.x ?? 0) + (box?.width ?? 0)),
    ]
    const isShared = one?.y === several?.y
    expect([edges(one)[0], edges(several)[1]]).toEqual(edges(line))
    if (!isShared) expect([edges(several)[0], edges(one)[1]]).toEqual(edges(line))
  }
})

test('in a low window nothing lies on the list of models to compare', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 500 })
  // As many as are narrowed by buttons above the list.
  await page.route('**/v1/models?*', async route => {
    const list = await (await route.fetch()).json()
    const others = Array.from({ length: 30 }, (_, at) => ({
      ...list.data[0],
      id: `m/${at}`,
      name: `M ${at}`,
    }))
    await route.fulfill({ json: { ...list, data: [...list.data, ...others] } })
  })
  await page.goto('/')
  const dialog = await openComparison(page)
  await expect(dialog.getByRole('button', { name: 'Cheapest' })).toBeVisible()
  const chosen = await dialog.getByRole('list', { name: 'To be compared' }).boundingBox()
  const listEnd = await dialog
    .getByRole('option')
    .first()
    .evaluate(option => {
      let list: Element | null = option
      while (list && getComputedStyle(list).overflowY !== 'auto') list = list.parentElement
      return list?.getBoundingClientRect().bottom
    })
  expect(chosen?.y).toBeGreaterThanOrEqual(listEnd ?? Number.POSITIVE_INFINITY)
})

test('above the keyboard of an iPhone nothing covers the field that searches the models to compare', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 664 })
  await page.goto('/')
  const field = (await openComparison(page)).getByRole('combobox')
  await field.focus()
  // As chat.tsx sets it there: the page is laid out as if there were no keyboard.
  await page.evaluate(() => document.documentElement.style.setProperty('--keyboard-height', '336px'))
  const isOnTop = () =>
    field.evaluate(element => {
      element.scrollIntoView({ block: 'nearest' })
      const { x, y, width, height } = element.getBoundingClientRect()
      return document.elementFromPoint(x + width / 2, y + height / 2) === element
    })
  expect(await isOnTop()).toBe(true)
})

test('on a phone the highest price of compared answers goes on behind the price, in its line', async ({
  page,
  funded: _funded,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/')
  await (await openComparison(page)).getByRole('option').nth(1).click()
  await page.getByRole('button', { name: 'Compare these' }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill('What is in the sea?')
  const most = page.locator('form small', { hasText: /at most .* 2 answers/ })
  await expect(most).toBeVisible()
  // A dot separates them, with which no line may begin.
  const isInLine = await most.evaluate(element => {
    const price = element.previousElementSibling?.getBoundingClientRect()
    const firstLine = element.getClientRects()[0]
    return price && firstLine && firstLine.top < price.bottom - price.height / 2
  })
  expect(isInLine).toBe(true)
})

test('a conversation has an address of its own, from its first question on', async ({
  page,
  context,
  browser,
  funded: _funded,
  upstream,
}) => {
  const requestedUrls: string[] = []
  page.on('request', request => requestedUrls.push(request.url()))
  await page.goto('/')
  await upstream.setScript({
    chat: {
      steps: [
        { type: 'text', text: 'Salt ' },
        { type: 'gate', name: 'sea' },
        { type: 'text', text: 'and fish.' },
      ],
    },
  })
  const box = page.getByRole('textbox', { name: 'Message' })
  const composer = await box.elementHandle()
  await box.fill('What is in the sea?')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page).toHaveURL(/\/c\/[^/]+$/)
  await expect(page).toHaveTitle(/^What is in the sea\?/)
  await upstream.openGate('sea')
  await expect(answers(page)).toContainText('Salt and fish.')
  // Nothing was loaded or rendered again for it, and the server did not learn of it.
  expect(await composer?.evaluate(element => element.isConnected)).toBe(true)
  expect(requestedUrls.filter(url => url.includes('/c/'))).toEqual([])
  const sea = page.url()

  await expect(page.getByRole('button', { name: 'Copy answer' })).toBeVisible()
  await page.keyboard.press('Alt+n')
  await expect(page).toHaveURL('/')
  await scriptAnswer(upstream, 'Bread.')
  await box.fill('What is in the oven?')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(answers(page)).toContainText('Bread.')
  const oven = page.url()

  const list = page.getByRole('navigation', { name: 'Conversations' })
  const link = list.getByRole('link', { name: /sea/ })
  // For about one such tab in ten Chrome sends the driver no `Page.frameNavigated`, for a static page as well as for
  // ours, so that the driver never sees the page. Chrome itself is asked what the tab contains.
  const chrome = await browser.newBrowserCDPSession()
  await link.click({ modifiers: ['Control'] })
  const openTabs = async () => (await chrome.send('Target.getTargets')).targetInfos
  await expect
    .poll(async () => (await openTabs()).find(({ url }) => url === sea)?.title)
    .toMatch(/^What is in the sea\?/)
  expect(page.url()).toBe(oven)
  const tab = await context.newPage()
  await tab.goto(sea)
  await expect(answers(tab)).toContainText('Salt and fish.')
  await expect(tab).toHaveTitle(/^What is in the sea\?/)

  await page.keyboard.press('Alt+ArrowDown')
  await expect(page).toHaveURL(sea)
  await expect(answers(page)).toContainText('Salt and fish.')
  await page.goBack()
  await expect(answers(page)).toContainText('Bread.')
  await page.goForward()
  await expect(answers(page)).toContainText('Salt and fish.')

  await page.goto('/de/c/nobody')
  await expect(page.getByRole('heading', { name: 'Dieser Chat ist nicht hier' })).toBeVisible()
  await expect(page).toHaveURL('/de/c/nobody')
  // The handler for shortcuts is loaded with the first key, and then handles what was pressed meanwhile.
  await page.keyboard.press('Tab')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Tastenkürzel' })).toBeVisible()
})

test('going back closes the dialogs of the chat that is left, and keeps what was entered', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  await page.goto('/')
  for (const [index, question] of ['What is in the sea?', 'What is in the oven?'].entries()) {
    if (index > 0) await page.keyboard.press('Alt+n')
    // Until the new chat is there, the message box is that of the chat before.
    await expect(answers(page)).toHaveCount(0)
    await scriptAnswer(upstream, `About ${question}`)
    await ask(page, question)
    await expect(answers(page)).toContainText(`About ${question}`)
  }
  await page.getByRole('button', { name: 'Instructions for this chat' }).click()
  const dialog = page.getByRole('dialog', { name: 'Instructions for this chat' })
  await dialog.getByRole('textbox', { name: 'Instructions' }).fill('Of bread alone')
  await page.goBack()
  await expect(answers(page)).toContainText('sea')
  await expect(dialog).toBeHidden()
  await page.goForward()
  await expect(answers(page)).toContainText('oven')
  await page.getByRole('button', { name: 'Instructions for this chat' }).click()
  await expect(dialog.getByRole('textbox', { name: 'Instructions' })).toHaveValue('Of bread alone')
  await dialog.getByRole('button', { name: 'Choose a prompt' }).click()
  const prompts = page.getByRole('dialog', { name: 'Prompts' })
  await expect(prompts).toBeVisible()
  await page.goBack()
  await expect(answers(page)).toContainText('sea')
  await expect(prompts).toBeHidden()
})

test('the prompts of a file are chosen by the keyboard on a phone, each in sight of its head and its buttons', async ({
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/')
  await page.getByRole('button', { name: 'Prompts' }).click()
  const dialog = page.getByRole('dialog')
  const many = Array.from({ length: 40 }, (_, index) => `Prompt ${index},${'Words '.repeat(40)}`)
  const buffer = Buffer.from(`act,prompt\n${many.join('\n')}`)
  await dialog
    .getByLabel('Import a file')
    .setInputFiles({ name: 'prompts.csv', mimeType: 'text/csv', buffer })
  await expect(dialog).toHaveAccessibleName('Choose prompts to import')
  const isUncovered = (element: Element) => {
    const { x, y, width, height } = element.getBoundingClientRect()
    return document.elementFromPoint(x + width / 2, y + height / 2) === element
  }
  await dialog.getByRole('searchbox').focus()
  for (let index = 0; index < 12; index += 1) await page.keyboard.press('Tab')
  const choice = dialog.getByRole('checkbox', { name: /^Prompt 11\b/ })
  await expect(choice).toBeFocused()
  await expect.poll(() => choice.evaluate(isUncovered)).toBe(true)
  expect(await dialog.getByRole('heading', { level: 2 }).evaluate(isUncovered)).toBe(true)
  const roomForRing = (element: Element) =>
    element.getBoundingClientRect().left - (element.closest('label')?.getBoundingClientRect().left ?? 0)
  expect(await choice.evaluate(roomForRing)).toBeGreaterThanOrEqual(4)
})

test('the dialogs of the prompts are whole where there is room, and usable where there is hardly any', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/')
  await page.getByRole('button', { name: 'Prompts' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'New prompt' }).click()
  await expect(dialog.getByRole('button', { name: 'Save' })).toBeInViewport({ ratio: 1 })
  await dialog.getByRole('button', { name: 'Back to the prompts' }).click()

  const many = Array.from({ length: 120 }, (_, index) => `Prompt ${index},Words ${index}`)
  const buffer = Buffer.from(`act,prompt\n${many.join('\n')}`)
  await dialog
    .getByLabel('Import a file')
    .setInputFiles({ name: 'prompts.csv', mimeType: 'text/csv', buffer })
  await expect(dialog).toHaveAccessibleName('Choose prompts to import')
  // A zoom of 400 %: the buttons below the list leave it in sight.
  await page.setViewportSize({ width: 320, height: 256 })
  const box = await dialog.boundingBox()
  expect(box?.height).toBeLessThanOrEqual(256)
  const isSeenAtTheEnd = (choice: Element) => {
    choice.scrollIntoView({ block: 'end' })
    const { x, y, width, height } = choice.getBoundingClientRect()
    return document.elementFromPoint(x + width / 2, y + height / 2) === choice
  }
  const choice = dialog.getByRole('checkbox', { name: /^Prompt 60\b/ })
  await expect.poll(() => choice.evaluate(isSeenAtTheEnd)).toBe(true)
  await choice.check()
  await expect(dialog.getByRole('button', { name: 'Add 1 prompt' })).toBeEnabled()
})
