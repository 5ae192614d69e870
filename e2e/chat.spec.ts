import type { Locator, Page } from '@playwright/test'
import { routing } from '@/lib/i18n/routing'
import { createAccount, holdCredit } from '@/test/support/account'
import { messagesIn } from '@/test/support/messages'
import { expect, test, type UpstreamControl } from '@/test/support/test'
import { answerOn, ask } from './local-data/browser-store'

const CANARY = 'canary.invalid'
const HOSTILE = [
  `![pixel](https://${CANARY}/pixel.png?q=secret)`,
  `<img src="https://${CANARY}/raw.png" onerror="alert(1)">`,
  '<script>alert(2)</script>',
  '[click](javascript:alert(3))',
  `[https://bank.example](https://${CANARY}/login)`,
  `<iframe src="https://${CANARY}/frame"></iframe>`,
].join('\n\n')

/** Starts an answer whose second half waits at a gate. */
async function askHalfway(page: Page, upstream: UpstreamControl, gate: string) {
  const text = (words: string) => ({ type: 'text', text: words }) as const
  const steps = [text('Before. '), { type: 'gate', name: gate } as const, text('After.')]
  await upstream.setScript({ chat: { steps } })
  await page.goto('/')
  await ask(page, 'Survive this')
  await expect(answerOn(page)).toContainText('Before.')
}

test('without credit the message stays in the composer, and nothing is requested', async ({
  page,
  upstream,
}) => {
  await page.goto('/')
  await ask(page, 'What does this cost?')
  await expect(page.getByText('Your balance is too low')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('What does this cost?')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('link', { name: 'Add credit' }).click()
  await expect(page).toHaveURL(/\/top-up\?return=/)
  await page.goBack()
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('What does this cost?')
  expect((await upstream.requests()).filter(({ path }) => path === '/chat/completions')).toEqual([])
})

test('with too small a balance the message returns to the composer, with both amounts', async ({
  page,
  request,
}) => {
  const account = await createAccount(request, 0.1)
  await holdCredit(page, account.creditId)
  await page.goto('/')
  await page.getByRole('combobox', { name: 'Model' }).click()
  await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused()
  await page.keyboard.type('large')
  await page.keyboard.press('Enter')
  const long = 'word '.repeat(20_000)
  await ask(page, long)
  await expect(page.getByText('Your balance is too low')).toBeVisible()
  await expect(page.getByText('10 cents', { exact: true }).last()).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue(long)
  await expect(answerOn(page)).toHaveCount(0)
})

test('an answer that fails costs nothing, says so, and can be asked for again', async ({
  page,
  funded,
  balance,
  upstream,
}) => {
  await upstream.setScript({ chat: { status: 500, body: { error: { message: 'broken' } } } })
  await page.goto('/')
  await ask(page, 'Are you there?')
  await expect(answerOn(page)).toContainText('$0.00 — you were not charged')
  await expect(page.getByRole('article', { name: 'Your message' })).toContainText('Are you there?')
  expect(await balance(funded)).toBe(1)

  await upstream.setScript({ chat: { steps: [{ type: 'text', text: 'Here I am.' }] } })
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(answerOn(page)).toHaveCount(1)
  await expect(answerOn(page)).toContainText('Here I am.')
})

test('an answer appears as it is written and ends with its price', async ({
  page,
  funded,
  balance,
  upstream,
}) => {
  const steps = [
    { type: 'text', text: 'First half' } as const,
    { type: 'gate', name: 'rest' } as const,
    { type: 'text', text: ' and **second** half.' } as const,
  ]
  await upstream.setScript({ chat: { steps, promptTokens: 10 } })
  await page.goto('/')
  await ask(page, 'Two halves, please')
  await expect(answerOn(page)).toContainText('First half')
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible()
  await upstream.openGate('rest')
  await expect(answerOn(page).locator('strong')).toHaveText('second')
  // 10 input tokens at $1 and 2 output tokens at $2 per million.
  await expect(answerOn(page)).toContainText('0.0014 cents')
  expect(await balance(funded)).toBe(0.999986)
  await expect(page.getByRole('button', { name: 'Send' })).toBeVisible()
})

test('a double click on Send asks once, and does not stop the answer', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  await upstream.setScript({ chat: { steps: [{ type: 'text', text: 'Here I am.' }] } })
  await page.goto('/')
  await ask(page, 'Are you there?')
  await expect(answerOn(page)).toContainText('Here I am.')
  await page.getByRole('textbox', { name: 'Message' }).fill('And now?')
  await page.getByRole('button', { name: 'Send' }).dblclick()
  await expect(answerOn(page).last()).toContainText('Here I am.')
  await expect(answerOn(page)).toHaveCount(2)
})

test('a stop keeps and charges what arrived, and stops the upstream', async ({
  page,
  funded,
  balance,
  upstream,
}) => {
  const steps = [{ type: 'text', text: 'So far' } as const, { type: 'hang' } as const]
  await upstream.setScript({ chat: { steps } })
  await page.goto('/')
  await ask(page, 'Go on for ever')
  await expect(answerOn(page)).toContainText('So far')
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(answerOn(page)).toContainText('Stopped.')
  await expect(answerOn(page)).toContainText(/0\.00\d+ cents/)
  await expect(page.getByRole('button', { name: 'Send' })).toBeVisible()
  expect(await balance(funded)).toBeLessThan(1)
  await expect
    .poll(
      async () => (await upstream.requests()).findLast(({ path }) => path === '/chat/completions')?.abortedAt,
    )
    .not.toBeNull()
})

test('an answer goes on while its credit is replaced, and can be resumed and stopped afterwards', async ({
  page,
  funded,
  request,
  upstream,
}) => {
  await askHalfway(page, upstream, 'replaced')
  const account = await page.context().newPage()
  await account.goto('/account')
  const leaked = account.getByRole('region', { name: 'Replace this credit', exact: true })
  await leaked.getByRole('button', { name: 'Replace this credit' }).click()
  await leaked.getByRole('button', { name: /^Move / }).click()
  const headers = { authorization: `Bearer ${funded.creditId}` }
  await expect.poll(async () => (await request.get('/keys', { headers })).status()).toBe(401)
  await account.close()
  await page.reload()
  await expect(answerOn(page)).toContainText('Before.')
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(answerOn(page)).toContainText('Stopped.')
  await expect(answerOn(page)).toContainText(/0\.00\d+ cents/)
  await expect
    .poll(
      async () => (await upstream.requests()).findLast(({ path }) => path === '/chat/completions')?.abortedAt,
    )
    .not.toBeNull()
})

test('a reload in the middle of an answer loses nothing and pays once', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  await askHalfway(page, upstream, 'reloaded')
  await page.reload()
  await expect(answerOn(page)).toContainText('Before.')
  await upstream.openGate('reloaded')
  await expect(answerOn(page)).toContainText('Before. After.')
  await expect(answerOn(page)).toContainText(/0\.00\d+ cents/)
  const chatRequests = (await upstream.requests()).filter(({ path }) => path === '/chat/completions')
  expect(chatRequests).toHaveLength(1)
})

test('after a network failure the rest of the answer arrives', async ({
  page,
  context,
  funded: _funded,
  upstream,
}) => {
  await askHalfway(page, upstream, 'offline')
  await context.setOffline(true)
  await upstream.openGate('offline')
  await context.setOffline(false)
  await expect(answerOn(page)).toContainText('Before. After.')
  const chatRequests = (await upstream.requests()).filter(({ path }) => path === '/chat/completions')
  expect(chatRequests).toHaveLength(1)
})

test('a hostile answer contacts nobody and runs nothing', async ({ page, funded: _funded, upstream }) => {
  const reached: string[] = []
  page.on('request', request => {
    if (request.url().includes(CANARY)) reached.push(request.url())
  })
  page.on('dialog', dialog => {
    reached.push(dialog.message())
    void dialog.dismiss()
  })
  await upstream.setScript({ chat: { steps: [{ type: 'text', text: HOSTILE }] } })
  await page.goto('/')
  await ask(page, 'Attack me')
  await expect(answerOn(page)).toContainText('<script>alert(2)</script>')
  await expect(answerOn(page)).toContainText(`(${CANARY})`)
  await expect(answerOn(page).getByRole('link', { name: 'Load image' })).toBeVisible()
  await expect(answerOn(page).locator('script, iframe, img')).toHaveCount(0)
  expect(reached).toEqual([])
})

test('formulas are typeset, and amounts of money are not', async ({ page, funded: _funded, upstream }) => {
  const text = 'Between $5 and $10:\n\n$$\n\\frac{a}{b}\n$$\n\nwith $a = 1$.'
  await upstream.setScript({ chat: { steps: [{ type: 'text', text }] } })
  await page.goto('/')
  await ask(page, 'Show me a formula')
  const answer = answerOn(page)
  await expect(answer.locator('math mfrac')).toBeVisible()
  await expect(answer.locator('math')).toHaveCount(2)
  await expect(answer.getByText('Between $5 and $10:')).toBeVisible()
})

test('a formula covers nothing outside of its answer', async ({ page, funded: _funded, upstream }) => {
  const everywhere = '\\smash{\\raisebox{-10em}{\\phantom{\\rule{40em}{20em}}}}'
  const text = `[$${everywhere}$](https://${CANARY}) is a link.`
  await upstream.setScript({ chat: { steps: [{ type: 'text', text }] } })
  await page.goto('/')
  await ask(page, 'Cover the buttons')
  await expect(answerOn(page).locator('math mphantom')).toHaveCount(1)
  await answerOn(page).getByRole('button', { name: 'Copy answer' }).click({ trial: true, timeout: 5_000 })
})

test('a diagram is drawn on request, in a frame without an origin', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  const violations: string[] = []
  page.on('console', message => {
    if (/content security policy/i.test(message.text())) violations.push(message.text())
  })
  const text = '```mermaid\ngraph TD\n  A[Start] --> B[End]\n```'
  await upstream.setScript({ chat: { steps: [{ type: 'text', text }] } })
  await page.goto('/')
  await ask(page, 'Draw me a diagram')
  await answerOn(page).getByRole('button', { name: 'Draw the diagram' }).click()
  const drawing = answerOn(page).frameLocator('iframe[title=Diagram]')
  await expect(drawing.locator('svg')).toContainText('Start')
  expect(await drawing.locator('svg').evaluate(() => window.origin)).toBe('null')
  expect(violations).toEqual([])
})

test('with forced colours, questions, code and pictures elsewhere keep an edge', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  const text = `Run \`npm test\`:\n\n\`\`\`\nok\n\`\`\`\n\n![a heron](https://${CANARY}/heron.png)`
  await upstream.setScript({ chat: { steps: [{ type: 'text', text }] } })
  await page.goto('/')
  await ask(page, 'How do I test?')
  await expect(answerOn(page).getByText('ok', { exact: true })).toBeVisible()
  const question = page.getByRole('article', { name: 'Your message' }).getByText('How do I test?')
  const answer = answerOn(page)
  const picture = answer.getByRole('link', { name: 'Load image' }).locator('..')
  const edged = [question, answer.getByText('npm test'), answer.getByRole('figure'), picture]
  for (const each of edged) await expect(each).toHaveCSS('outline', 'rgba(0, 0, 0, 0) solid 1px')
  await page.emulateMedia({ forcedColors: 'active' })
  for (const each of edged) await expect(each).not.toHaveCSS('outline-color', 'rgba(0, 0, 0, 0)')
})

test('Shift and Enter starts a new line, Enter sends', async ({ page, funded: _funded }) => {
  await page.goto('/')
  const box = page.getByRole('textbox', { name: 'Message' })
  await box.pressSequentially('first')
  await box.press('Shift+Enter')
  await box.pressSequentially('second')
  await expect(box).toHaveValue('first\nsecond')
  await box.press('Enter')
  await expect(page.getByRole('article', { name: 'Your message' })).toContainText('second')
  await expect(box).toHaveValue('')
})

test('conversations can be found, renamed and deleted', async ({ page, funded: _funded }) => {
  await page.goto('/')
  await ask(page, 'All about herons')
  await expect(answerOn(page)).toContainText('You said')
  await page.getByRole('button', { name: 'New chat' }).click()
  await expect(answerOn(page)).toHaveCount(0)
  await ask(page, 'All about kestrels')
  await expect(answerOn(page)).toContainText('kestrels')

  const list = page.getByRole('navigation', { name: 'Conversations' })
  await expect(list.getByRole('link')).toHaveText([/kestrels/, /herons/])
  await list.getByRole('searchbox').fill('heron')
  await expect(list.getByRole('link')).toHaveText([/herons/])
  await list.getByRole('link').click()
  await expect(answerOn(page)).toContainText('herons')
  await list.getByRole('searchbox').fill('')

  await list.getByRole('link', { name: /herons/ }).hover()
  await list
    .getByRole('listitem')
    .filter({ hasText: 'herons' })
    .getByRole('button', { name: 'Rename' })
    .click()
  await list.getByRole('textbox', { name: 'Title' }).fill('Long legs')
  await page.keyboard.press('Enter')
  await expect(list.getByRole('link', { name: 'Long legs' })).toBeVisible()

  await list.getByRole('link', { name: 'Long legs' }).hover()
  await list
    .getByRole('listitem')
    .filter({ hasText: 'Long legs' })
    .getByRole('button', { name: 'Delete' })
    .click()
  await expect(list.getByRole('link')).toHaveText([/kestrels/])
})

test('the actions on a conversation are large enough for a thumb @touch', async ({
  page,
  funded: _funded,
}) => {
  await page.goto('/')
  await ask(page, 'All about herons')
  await page.getByRole('button', { name: 'Open conversations' }).click()
  const list = page.getByRole('navigation', { name: 'Conversations' })
  for (const name of ['Rename', 'Delete']) {
    const isHitAside = () =>
      list.getByRole('button', { name }).evaluate(button => {
        const { x, y, width, height } = button.getBoundingClientRect()
        const hit = (aside: number) => document.elementFromPoint(x + width / 2 + aside, y + height / 2)
        return [-21, 21].every(aside => button.contains(hit(aside)))
      })
    await expect.poll(isHitAside).toBe(true)
  }
})

test('what is small can be pressed on 24 pixels @phone', async ({
  page,
  funded: _funded,
  upstream,
  isMobile,
}) => {
  const steps = [
    { type: 'reasoning', text: 'A bird?' } as const,
    { type: 'text', text: `![a heron](https://${CANARY}/heron.png)` } as const,
  ]
  await upstream.setScript({ chat: { steps } })
  await page.goto('/')
  await ask(page, 'What stands there?')
  const heightOf = (one: Locator) =>
    one.evaluate(element => {
      const { x, y, width, height } = element.getBoundingClientRect()
      const isHit = (below: number) =>
        element.contains(document.elementFromPoint(x + width / 2, y + height / 2 + below))
      return Array.from({ length: 49 }, (_, place) => place - 24).filter(isHit).length
    })
  const answer = answerOn(page)
  await expect(answer.locator('summary', { hasText: 'cents' })).toHaveCount(2)
  for (const one of [
    answer.getByRole('link', { name: 'Load image' }),
    answer.locator('summary', { hasText: 'Reasoning' }),
  ])
    await expect.poll(() => heightOf(one)).toBeGreaterThanOrEqual(isMobile ? 44 : 24)
  await page.goto('/c/unknown')
  const newChat = page.getByRole('main').getByRole('link', { name: 'Start a new chat' })
  await expect.poll(() => heightOf(newChat)).toBeGreaterThanOrEqual(44)
  await page.goto('/pricing')
  const [api] = await page
    .getByRole('link', { name: 'API', exact: true })
    .evaluateAll(links => links.flatMap(link => link.getBoundingClientRect().width || []))
  expect(api).toBeGreaterThanOrEqual(24)
})

test('the view follows a long answer to its end, and the composer stays in reach @phone', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  const steps = [
    { type: 'text', text: 'A paragraph of some length, so that it scrolls.\n\n', times: 60 } as const,
  ]
  await upstream.setScript({ chat: { steps: [...steps, { type: 'text', text: 'The end.' }] } })
  await page.goto('/')
  await ask(page, 'At length, please')
  await expect(page.getByText('The end.')).toBeInViewport()
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeInViewport()
  await page.getByRole('article', { name: 'Your message' }).scrollIntoViewIfNeeded()
  const jump = page.getByRole('button', { name: 'Jump to latest' })
  const middleOf = (one: Locator) =>
    one.evaluate(element => element.getBoundingClientRect()).then(({ x, width }) => x + width / 2)
  // It belongs to the text, which is not in the middle of what the sidebar leaves.
  expect(await middleOf(jump)).toBeCloseTo(await middleOf(page.locator('form:has(#message-box)')), 0)
  await jump.click()
  await expect(page.getByText('The end.')).toBeInViewport()
})

test('nothing moves below an answer while the next one comes, and a price on a phone has a line of its own @phone', async ({
  page,
  funded: _funded,
  upstream,
  isMobile,
}) => {
  await page.goto('/')
  await ask(page, 'What is in the sea?')
  const first = answerOn(page).first()
  const [copy, readAloud] = ['Copy answer', 'Read aloud'].map(name => first.getByRole('button', { name }))
  const below = [copy, readAloud, first.locator('summary')]
  for (const each of below) await expect(each ?? first).toBeVisible()
  const placesBelow = () =>
    first.evaluate(answer => {
      const { x, y } = answer.getBoundingClientRect()
      return [...answer.querySelectorAll('footer button, footer summary')]
        .filter(part => part.matches('summary, [data-read-aloud], [data-shortcut="copyAnswer"]'))
        .map(part => part.getBoundingClientRect())
        .map(place => [Math.round(place.x - x), Math.round(place.y - y)])
    })
  const form = page.locator('form', { has: page.getByRole('textbox', { name: 'Message' }) })
  const heightOfForm = () => form.evaluate(({ clientHeight }) => clientHeight)
  const widen = (width: number) =>
    isMobile ? page.setViewportSize({ width, height: 844 }) : Promise.resolve()
  // On a wide phone the price would fit beside the buttons that are left; on a usual one the cost so far wraps.
  const measure = async () => {
    const height = await heightOfForm()
    await widen(460)
    const places = await placesBelow()
    await widen(390)
    return { height, places }
  }
  await page.getByRole('textbox', { name: 'Message' }).fill('And in the oven?')
  const before = await measure()
  expect(before.places).toHaveLength(3)

  const steps = [{ type: 'text', text: 'Bread ' } as const, { type: 'gate', name: 'oven' } as const]
  await upstream.setScript({ chat: { steps } })
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(answerOn(page).last()).toContainText('Bread')
  await expect(form.getByText('so far')).toBeVisible()
  expect(await measure()).toEqual(before)

  await page.getByRole('textbox', { name: 'Message' }).fill('And then?')
  await expect(form.getByRole('button', { name: 'Send' })).toBeVisible()
  const price = form.getByRole('button', { name: /^≈/ })
  const lines = await price.locator('..').evaluate(({ clientHeight }) => clientHeight)
  expect(lines).toBeLessThan(40)
  if (isMobile) {
    const [priceBox, sendBox] = await Promise.all(
      [price, form.getByRole('button', { name: 'Send' })].map(each => each.boundingBox()),
    )
    expect((priceBox?.y ?? 0) + (priceBox?.height ?? 0)).toBeLessThanOrEqual((sendBox?.y ?? 0) + 1)
  }
  await upstream.openGate('oven')
})

for (const locale of routing.locales) {
  test(`the smallest phone shows the model’s whole name, and the cost of an answer covers no other price in ${locale}`, async ({
    page,
    funded: _funded,
  }) => {
    await page.setViewportSize({ width: 320, height: 568 })
    await page.goto(`/${locale}`)
    const name = page.getByRole('banner').getByText('Stand-in Small')
    await expect(name).toBeVisible()
    expect(
      await name.evaluate(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => [
        scrollWidth <= clientWidth,
        scrollHeight <= clientHeight + 1,
      ]),
    ).toEqual([true, true])
    const price = page.getByRole('combobox').first().getByText('≈')
    await expect(price).toBeVisible()
    await page.locator('form textarea').fill('What does this cost?')
    await page.locator('form button[type=submit]').click()
    await expect(page.locator('[data-text]')).toHaveCount(1)
    await expect(price).toBeHidden()
  })
}

test('with letters and lines set apart, the cost of an answer covers no model’s name', async ({
  page,
  funded: _funded,
}) => {
  await page.setViewportSize({ width: 360, height: 700 })
  await page.goto('/fr')
  // The spacing of https://www.w3.org/TR/WCAG22/#text-spacing
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(`
        * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
        p { margin-block-end: 2em !important }
      `)
    document.adoptedStyleSheets = [sheet]
  })
  await page.locator('form textarea').fill('What does this cost?')
  await page.locator('form button[type=submit]').click()
  await expect(page.locator('[data-text]')).toHaveCount(1)
  const name = page.getByRole('banner').getByText('Stand-in Small')
  const covered = await name.evaluate(element => {
    const range = document.createRange()
    range.selectNodeContents(element)
    const arrow = element.nextElementSibling?.getBoundingClientRect()
    const cost = document.querySelector('[data-text]')?.getBoundingClientRect()
    if (!arrow || !cost) return null
    return [arrow, ...range.getClientRects()].filter(
      ({ right, bottom }) => right > cost.left && bottom > cost.top,
    ).length
  })
  expect(covered).toBe(0)
})

test('the smallest phone shows all that is known of a model in every language', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 568 })
  for (const locale of routing.locales) {
    const { chat } = messagesIn(locale)
    await page.goto(`/${locale}`)
    await page.getByRole('combobox').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: chat.picker.about.replace('{model}', 'Stand-in Large') }).click()
    const values = dialog.getByRole('definition')
    await expect(values.filter({ hasText: chat.picker.abilities.tools })).toBeVisible()
    const right = await values.evaluateAll(all =>
      Math.max(...all.map(value => value.getBoundingClientRect().right)),
    )
    expect(right).toBeLessThanOrEqual(320)
  }
})

test('at a zoom of 400 % an answer and the message box are visible', async ({ page, funded: _funded }) => {
  await page.setViewportSize({ width: 320, height: 256 })
  await page.goto('/')
  await ask(page, 'Is there room?')
  await expect(answerOn(page)).toContainText('You said')
  await expect(page.getByRole('button', { name: 'Send' })).toBeInViewport({ ratio: 1 })
  const read = await page.getByRole('region', { name: 'Messages' }).boundingBox()
  expect(read?.height).toBeGreaterThan(120)
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(256)
  const placeholders = routing.locales.map(locale => messagesIn(locale).chat.messagePlaceholder)
  const cut = await page.getByRole('textbox', { name: 'Message' }).evaluate((box, texts) => {
    const { paddingInlineStart, paddingInlineEnd } = getComputedStyle(box)
    const { fontSize, fontFamily } = getComputedStyle(box, '::placeholder')
    const room = box.clientWidth - Number.parseFloat(paddingInlineStart) - Number.parseFloat(paddingInlineEnd)
    const canvas = document.createElement('canvas').getContext('2d')
    if (!canvas) return texts
    canvas.font = `${fontSize} ${fontFamily}`
    return texts.filter(text => canvas.measureText(text).width > room)
  }, placeholders)
  expect(cut).toEqual([])
})

test('at a zoom of 400 % the button to the end covers no link that the keyboard reaches', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  const paragraph = 'Go on reading [in here](https://example.com)\n\n'
  await upstream.setScript({ chat: { steps: [{ type: 'text', text: paragraph.repeat(8) }] } })
  await page.setViewportSize({ width: 320, height: 256 })
  await page.goto('/')
  await ask(page, 'Where can I read more?')
  await expect(answerOn(page).getByRole('link')).toHaveCount(8)
  const messages = page.getByRole('region', { name: 'Messages' })
  await messages.focus()
  await page.keyboard.press('Home')
  await expect(page.getByRole('button', { name: 'Jump to latest' })).toBeVisible()
  const links = await answerOn(page).getByRole('link').all()
  for (const link of links.slice(0, -1)) {
    while (!(await link.evaluate(element => element === document.activeElement))) {
      await page.keyboard.press('Tab')
    }
    const isSeen = (element: Element) => {
      const { x, y, width, height } = element.getBoundingClientRect()
      return element.contains(document.elementFromPoint(x + width / 2, y + height / 2))
    }
    await expect.poll(() => link.evaluate(isSeen)).toBe(true)
  }
})
