import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page, request } from '@playwright/test'
import { startStandInUpstream } from '../test/stand-ins/upstream'
import { createAccount, holdCredit } from '../test/support/account'
import { startApp } from '../test/support/app-process'
import { findChromium } from '../test/support/find-chromium.mjs'

/**
 * A conversation of 500 turns, every tenth with versions beside it, on a slow computer: the longest task
 * while it opens, is scrolled through, is written under, and is answered. Needs a production build
 * (`npm run build`): npx tsx --conditions=react-server bench/long-conversation.ts
 */
const RUN_COUNT = Number(process.env.BENCH_RUNS ?? '3')
const TURN_COUNT = Number(process.env.BENCH_TURNS ?? '500')
const BRANCH_INTERVAL = 10
const CPU_SLOWDOWN = 4
const CHUNK_COUNT = 100
const CHUNK_INTERVAL_MS = 20
const TIMEOUT_MS = 120_000
const VIEWPORT = { width: 1280, height: 800 }

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

declare global {
  interface Window {
    tasksMs?: number[]
  }
}

function watchTasks(): void {
  const tasksMs: number[] = []
  window.tasksMs = tasksMs
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) tasksMs.push(Math.round(entry.duration))
  }).observe({ type: 'longtask' })
}

/** The tasks of more than 50 ms during a step, the longest first. */
async function during(page: Page, step: () => Promise<void>): Promise<number[]> {
  const rest = () => page.waitForTimeout(500)
  await rest()
  await page.evaluate(() => window.tasksMs?.splice(0))
  await step()
  await rest()
  const tasksMs = await page.evaluate(() => window.tasksMs ?? [])
  return tasksMs.sort((left, right) => right - left)
}

/** From end to end as a wheel does it, a screen at a time, each shown before the next. */
async function scrollThrough(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Messages' }).evaluate(async scroller => {
    for (const direction of [-1, 1]) {
      for (let at = -1; at !== scroller.scrollTop; ) {
        at = scroller.scrollTop
        scroller.scrollTop += direction * 600
        // Written out: a function with a name is given a helper that the page does not have.
        await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      }
    }
  })
}

const directory = mkdtempSync(join(tmpdir(), 'tuppence-bench-'))
const upstream = await startStandInUpstream()
const app = await startApp({ dataDirectory: directory, upstreamBaseUrl: upstream.baseUrl })
const browser = await chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox'] })
try {
  for (let run = 0; run < RUN_COUNT; run += 1) {
    const context = await browser.newContext({ viewport: VIEWPORT, baseURL: app.baseUrl })
    await context.addInitScript(watchTasks)
    await context.addInitScript(
      history =>
        localStorage.getItem('conversationHistory') ?? localStorage.setItem('conversationHistory', history),
      longConversation(),
    )
    const page = await context.newPage()
    page.setDefaultTimeout(TIMEOUT_MS)
    const api = await request.newContext({ baseURL: app.baseUrl })
    await holdCredit(page, (await createAccount(api, 1)).creditId)
    // Code that comes late is there before anything is measured.
    await page.goto('/c/short', { waitUntil: 'networkidle' })
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
    const answers = page.getByRole('article', { name: 'Assistant message' })
    const box = page.getByRole('textbox', { name: 'Message' })
    const steps: Record<string, () => Promise<void>> = {
      opening: async () => {
        await page.locator('[data-conversation="long"] > a').click()
        await answers.nth(TURN_COUNT - 1).waitFor()
      },
      scrolling: () => scrollThrough(page),
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
        await box.press('Enter')
        await answers.nth(TURN_COUNT).getByRole('button', { name: 'Copy answer' }).waitFor()
      },
    }
    const figures: string[] = []
    for (const [name, step] of Object.entries(steps)) {
      const [longest = 0, ...others] = await during(page, step)
      figures.push(
        `${name}: longest task ${longest} ms${others.length > 0 ? ` and ${others.length} more over 50` : ''}`,
      )
    }
    console.log(figures.join(' · '))
    await api.dispose()
    await context.close()
  }
} finally {
  await browser.close()
  await app.stop()
  await upstream.close()
  rmSync(directory, { recursive: true, force: true })
}
