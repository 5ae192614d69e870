import { type Page, request } from '@playwright/test'
import { createAccount, holdCredit } from '../test/support/account'
import type { Figure } from './figure'
import { type Site, takeLongTasks, withSite } from './pages'

/**
 * A conversation of 500 turns, every tenth with alternatives, on a slow computer: the longest task while it opens at
 * its beginning, is scrolled, is typed under, is answered, is left for another page and returned to, and is left for
 * another conversation.
 */
const TURN_COUNT = Number(process.env.BENCH_TURNS ?? '500')
const BRANCH_INTERVAL = 10
const CPU_SLOWDOWN = 4
const CHUNK_COUNT = 100
const CHUNK_INTERVAL_MS = 20
/** At the end, as far as a reader would scroll; all of it would take minutes. */
const SCROLL_COUNT = 40
const SCROLL_STEP_PX = 600
const SETTLE_MS = 500

const ANSWER = [
  'A cup of coffee costs **$3.50** today. The [reason](https://example.com/beans) is `supply`: rain came late, and ships were few.',
  '1. The harvest failed in two of three regions.\n2. Freight doubled.\n3. Roasters bought ahead of need.',
  '```ts\nexport function pricePerCup(pricePerKilo: number, cups = 120): number {\n  return Math.ceil((pricePerKilo / cups) * 100) / 100\n}\n```',
  '| year | price per kilo |\n| --- | ---: |\n| 2015 | $8.20 |\n| 2026 | $17.40 |',
].join('\n\n')

function longConversation() {
  const startMs = Date.now() - TURN_COUNT * 60_000
  const at = (turn: number) => new Date(startMs + turn * 60_000).toISOString()
  const receipt = { cost_usd: '0.0021', input_token_count: 900, output_token_count: 160, estimated: false }
  const messages = Array.from({ length: TURN_COUNT }, (_, turn) => [
    {
      id: `q${turn}`,
      role: 'user',
      content: `Question ${turn}: why does a cup cost that much?`,
      created_at: at(turn),
    },
    {
      id: `a${turn}`,
      role: 'assistant',
      content: `Answer ${turn}.\n\n${ANSWER}`,
      created_at: at(turn),
      status: 'completed',
      receipt,
    },
  ]).flat()
  const branches = Array.from({ length: Math.floor(TURN_COUNT / BRANCH_INTERVAL) }, (_, index) => ({
    id: `b${index}`,
    parent: `q${index * BRANCH_INTERVAL}`,
    role: 'assistant',
    content: ANSWER,
    created_at: at(index * BRANCH_INTERVAL),
    status: 'completed',
    receipt,
  }))
  const short = { id: 'short', created_at: at(0), messages: messages.slice(0, 2) }
  return JSON.stringify([{ id: 'long', created_at: at(0), messages, branches }, short])
}

/** The tasks of more than 50 ms during a step, longest first. */
async function during(page: Page, step: () => Promise<void>): Promise<number[]> {
  await page.waitForTimeout(SETTLE_MS)
  await takeLongTasks(page)
  await step()
  await page.waitForTimeout(SETTLE_MS)
  return takeLongTasks(page)
}

/** Searching for roles and names on a page with a thousand messages is a long task itself. */
const POLL = { polling: 500 }

const open = (page: Page, id: string) =>
  page.evaluate(of => document.querySelector<HTMLElement>(`[data-conversation="${of}"] > a`)?.click(), id)

const untilShown = (page: Page, count: number) =>
  page.waitForFunction(expected => document.querySelectorAll('article').length === expected, count, POLL)

/** Scrolls up and down again like a wheel, a screen at a time, each shown before the next. */
async function scroll(page: Page): Promise<void> {
  await page.evaluate(
    async ([stepPx, count]) => {
      const scroller = document.querySelector('[role="region"][aria-label="Messages"]')
      if (!scroller) throw new Error('There is no list of messages.')
      for (const direction of [-1, 1]) {
        for (let step = 0; step < count; step += 1) {
          scroller.scrollTop += direction * stepPx
          await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
        }
      }
    },
    [SCROLL_STEP_PX, SCROLL_COUNT] as const,
  )
}

export const measureConversation = (): Promise<Figure[]> =>
  withSite(async site => {
    const api = await request.newContext({ baseURL: site.baseURL })
    const { creditId } = await createAccount(api, 1)
    await api.dispose()
    return site.withPage({}, page => visit(page, creditId, site))
  })

async function visit(page: Page, creditId: string, { upstream }: Site): Promise<Figure[]> {
  await page.addInitScript(
    history =>
      localStorage.getItem('conversationHistory') ?? localStorage.setItem('conversationHistory', history),
    longConversation(),
  )
  await holdCredit(page, creditId)
  // So that lazily loaded code is there before anything is measured.
  await page.goto('/c/short', { waitUntil: 'networkidle' })
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  const box = page.getByRole('textbox', { name: 'Message' })
  const steps: Record<string, () => Promise<void>> = {
    opening: async () => {
      await open(page, 'long')
      await untilShown(page, 2 * TURN_COUNT)
    },
    scrolling: () => scroll(page),
    typing: () => box.pressSequentially('And in 2030?', { delay: 100 }),
    answering: async () => {
      upstream.setScript({
        chat: {
          steps: Array.from({ length: CHUNK_COUNT }, () => [
            { type: 'text' as const, text: 'More *expensive* still. ' },
            { type: 'wait' as const, milliseconds: CHUNK_INTERVAL_MS },
          ]).flat(),
        },
      })
      await page.keyboard.press('Enter')
      await page.waitForFunction(
        () => [...document.querySelectorAll('article')].at(-1)?.querySelector('details'),
        undefined,
        POLL,
      )
    },
    'going to another page': async () => {
      await page.evaluate(() => document.querySelector<HTMLElement>('a[href="/account"]')?.click())
      await page.waitForURL('/account')
      await untilShown(page, 0)
    },
    'coming back': async () => {
      await open(page, 'long')
      await untilShown(page, 2 * TURN_COUNT + 2)
    },
    leaving: async () => {
      await open(page, 'short')
      await untilShown(page, 2)
    },
  }
  const figures: Figure[] = []
  for (const [name, step] of Object.entries(steps)) {
    const tasksMs = await during(page, step)
    const of = `${TURN_COUNT} turns, CPU x${CPU_SLOWDOWN}, ${name}`
    figures.push(
      { what: `${of}: longest task, ms (0: none over 50)`, ours: tasksMs[0] ?? 0 },
      { what: `${of}: tasks over 50 ms`, ours: tasksMs.length },
    )
  }
  return figures
}
