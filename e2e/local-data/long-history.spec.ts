import { expect, test } from '@/test/support/test'
import { conversation, conversationsOn, storeBefore } from './browser-store'

test('a long history lists more conversations on scrolling, and the search finds those not yet listed', async ({
  page,
}) => {
  const history = Array.from({ length: 200 }, (_, index) =>
    conversation(`c${index}`, `Question ${index} ${index === 3 ? 'about zebras' : ''}`, index),
  )
  await storeBefore(page, { conversationHistory: JSON.stringify(history) })
  await page.goto('/')
  const items = conversationsOn(page).getByRole('listitem')
  await expect(items.first()).toContainText('Question 199')
  await expect(items).toHaveCount(60)
  await items.last().scrollIntoViewIfNeeded()
  await expect(items).not.toHaveCount(60)
  await page.getByRole('searchbox').fill('zebras')
  await expect(items).toHaveCount(1)
  await items.getByRole('link').click()
  await expect(page.getByRole('article', { name: 'Your message' })).toContainText('about zebras')
})

test('a word deep in a pasted document is scrolled to', async ({ page }) => {
  const lines = Array.from({ length: 1_500 }, (_, index) => `Line ${index}${index === 1_200 ? ' Zèbra' : ''}`)
  await storeBefore(page, {
    conversationHistory: JSON.stringify([conversation('c1', lines.join('\n'), 1)]),
  })
  await page.goto('/')
  await page.getByRole('searchbox').fill('zebra')
  await conversationsOn(page).getByRole('link').click()
  const document = page.getByRole('article', { name: 'Your message' })
  await expect(document).toContainText('Zèbra')
  const topOfWord = () =>
    document.getByText('Zèbra').evaluate(element => {
      const text = [...element.childNodes].find(node => node.nodeValue?.includes('Zèbra'))
      if (!text) return null
      const word = new Range()
      word.setStart(text, text.nodeValue?.indexOf('Zèbra') ?? 0)
      word.setEnd(text, word.startOffset + 1)
      return word.getBoundingClientRect().top / innerHeight
    })
  await expect.poll(topOfWord).toBeGreaterThan(0)
  expect(await topOfWord()).toBeLessThan(1)
})

test.describe('on a narrow screen', () => {
  test.use({ viewport: { width: 390, height: 780 } })

  for (const keepsPlaces of [true, false]) {
    test(`a long chat is reopened at the same scroll position${keepsPlaces ? '' : ' without scroll anchoring too'}`, async ({
      page,
    }) => {
      // Safari has no scroll anchoring.
      if (!keepsPlaces) await page.addInitScript(keepNoPlaces)
      const messages = Array.from({ length: 150 }, (_, index) => ({
        id: `m${index}`,
        role: index % 2 === 0 ? 'user' : 'assistant',
        content:
          index % 2 === 0 ? `Question ${index}?` : `${'One word follows another. '.repeat(40)}\n\n`.repeat(2),
      }))
      const long = { ...conversation('long', '', 2), messages }
      await storeBefore(page, {
        conversationHistory: JSON.stringify([long, conversation('short', 'Short?', 1)]),
      })
      await page.goto('/c/short')
      await expect(page.getByRole('article')).toHaveCount(2)
      const open = async (name: RegExp, count: number) => {
        await page.getByRole('button', { name: 'Open conversations' }).click()
        await conversationsOn(page).getByRole('link', { name }).click()
        await expect(page.getByRole('article')).toHaveCount(count)
      }
      const read = page.locator('[data-message="m69"]')
      await open(/^Question 0/, 150)
      await read.evaluate(readFurther)
      const before = (await read.boundingBox())?.y ?? 0
      await open(/^Short/, 2)
      await open(/^Question 0/, 150)
      await expect.poll(async () => Math.abs(((await read.boundingBox())?.y ?? 0) - before)).toBeLessThan(8)
    })
  }
})

test('while one reads upwards, what is read moves only as far as one scrolls, without scroll anchoring too', async ({
  page,
}) => {
  await page.addInitScript(keepNoPlaces)
  // Far higher than turns are expected to be that were not laid out yet.
  const messages = Array.from({ length: 80 }, (_, index) => ({
    id: `m${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: index % 2 === 0 ? `Question ${index}?` : 'One word follows another. '.repeat(200),
  }))
  const long = { ...conversation('long', '', 2), messages }
  await storeBefore(page, { conversationHistory: JSON.stringify([long]) })
  // Until the first step the list follows its end, which grows as long as something is being loaded.
  await page.goto('/c/long', { waitUntil: 'networkidle' })
  await expect(page.getByRole('article')).toHaveCount(80)
  const moves = await page.locator('[data-message="m79"]').evaluate(readUpwards)
  expect(new Set(moves)).toEqual(new Set([200]))
})

/** How far what was seen in the middle has moved with each step of 200 pixels. */
async function readUpwards(message: Element): Promise<number[]> {
  const scroller = message.closest('[role="region"]')
  const { top, left, width, height } = scroller?.getBoundingClientRect() ?? new DOMRect()
  const moves: number[] = []
  for (let step = 0; step < 60; step += 1) {
    const seen = document.elementFromPoint(left + width / 2, top + height / 2)?.closest('article')
    const before = seen?.getBoundingClientRect().top ?? 0
    // As from a mouse: without it, a step may pass for content that grew while it was laid out.
    scroller?.dispatchEvent(new WheelEvent('wheel'))
    scroller?.scrollBy(0, -200)
    // After each frame: before it is painted, the list may still put right what has moved.
    for (let frame = 0; frame < 4; frame += 1)
      await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))
    // Between two messages there is nothing to see.
    if (seen) moves.push(Math.round(seen.getBoundingClientRect().top - before))
  }
  return moves
}

/** Scrolls to the top of the message, once the content near the viewport is laid out. */
async function readFurther(message: Element): Promise<void> {
  for (let frame = 0; frame < 3; frame += 1) {
    message.scrollIntoView()
    await new Promise(resolve => requestAnimationFrame(resolve))
  }
  message.closest('[role="region"]')?.scrollBy(0, 100)
}

function keepNoPlaces(): void {
  addEventListener('DOMContentLoaded', () => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('* { overflow-anchor: none !important }')
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  })
}
