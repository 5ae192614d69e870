import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CDPSession, chromium, type Page, request } from '@playwright/test'
import { type StandInUpstream, startStandInUpstream } from '../test/stand-ins/upstream'
import type { Step } from '../test/stand-ins/upstream-script'
import { createAccount, holdCredit } from '../test/support/account'
import { startApp } from '../test/support/app-process'
import { findChromium } from '../test/support/find-chromium.mjs'

/**
 * A 100 kB answer of all that Markdown has, streamed at 200 chunks a second into a real page, beside its
 * budgets. Needs a production build (`npm run build`):
 * npx tsx --conditions=react-server bench/long-answer.ts
 */
const RUN_COUNT = Number(process.env.BENCH_RUNS ?? '3')
const ANSWER_CHARACTER_COUNT = 100_000
const CHUNK_CHARACTER_COUNT = 20
const CHUNK_INTERVAL_MS = 5
const ANSWER_TIMEOUT_MS = 120_000
const VIEWPORT = { width: 1280, height: 800 }

/** What the page notes by itself. */
interface Notes {
  longTasksMs: number[]
  pricedAtMs: number
}

declare global {
  interface Window {
    notes?: Notes
  }
}

interface Figures {
  longestTaskMs: number
  longTaskCount: number
  scriptMs: number
  styleAndLayoutMs: number
  heapMegabytes: number
  doneAfterLastByteMs: number
}

const SECTION = [
  '## Why the price of a cup rises',
  'A cup of coffee costs **$3.50** today, and *not* $2.10 as in 2015. The [reason](https://example.com/beans) is `supply`: rain came late, ships were few, and ~~nobody~~ hardly anybody noticed before the shelves were empty.',
  '1. The harvest failed in two of three regions.\n2. Freight doubled:\n   - containers stood in the wrong ports,\n   - crews could not be changed.\n3. Roasters bought ahead of need.',
  '| year | price per kilo | cups from it | per cup |\n| --- | ---: | ---: | ---: |\n| 2015 | $8.20 | 120 | $0.07 |\n| 2020 | $9.95 | 120 | $0.08 |\n| 2026 | $17.40 | 118 | $0.15 |',
  '> Whoever counts only beans forgets milk, rent and wages.',
  "```ts\nexport function pricePerCup(pricePerKilo: number, cups = 120): number {\n  if (!(cups > 0)) throw new RangeError('no cups')\n  // Milk, rent and wages come on top.\n  return Math.ceil((pricePerKilo / cups) * 100) / 100\n}\n```",
  '```python\ndef price_per_cup(price_per_kilo: float, cups: int = 120) -> float:\n    """Milk, rent and wages come on top."""\n    return round(price_per_kilo / cups, 2)\n```',
].join('\n\n')

function answerText(): string {
  let text = ''
  for (let index = 1; text.length < ANSWER_CHARACTER_COUNT; index += 1) {
    text += `${SECTION.replace('Why', `${index}. Why`)}\n\n`
  }
  return text.slice(0, ANSWER_CHARACTER_COUNT)
}

function answerSteps(text: string): Step[] {
  const steps: Step[] = []
  for (let start = 0; start < text.length; start += CHUNK_CHARACTER_COUNT) {
    steps.push({ type: 'text', text: text.slice(start, start + CHUNK_CHARACTER_COUNT) })
    steps.push({ type: 'wait', milliseconds: CHUNK_INTERVAL_MS })
  }
  return steps
}

function takeNotes(): void {
  const notes: Notes = { longTasksMs: [], pricedAtMs: 0 }
  window.notes = notes
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) notes.longTasksMs.push(entry.duration)
  }).observe({ type: 'longtask' })
}

async function metric(session: CDPSession, name: string): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(found => found.name === name)?.value ?? 0
}

async function heapBytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  return metric(session, 'JSHeapUsedSize')
}

async function snapshot(session: CDPSession) {
  return {
    scriptSeconds: await metric(session, 'ScriptDuration'),
    layoutSeconds: (await metric(session, 'LayoutDuration')) + (await metric(session, 'RecalcStyleDuration')),
    heapBytes: await heapBytes(session),
  }
}

/** Asks, and reads the answer to its price. */
async function measure(page: Page, upstream: StandInUpstream, steps: Step[], run: number): Promise<Figures> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  await page.waitForLoadState('networkidle')
  const before = await snapshot(session)
  await page.evaluate(takeNotes)
  upstream.setScript({ chat: { steps } })
  await page.getByRole('textbox', { name: 'Message' }).fill('Tell me all about coffee.')
  await page.getByRole('button', { name: 'Send' }).click()
  const exchange = await upstream.requestTo('/chat/completions', run)
  const ended = exchange.ended.then(() => Date.now())
  // Looked for in the page itself: asking from outside would add to what is measured.
  const priced = page.evaluate(
    () =>
      new Promise<number>(resolve => {
        const look = setInterval(() => {
          if (!/\$0\.\d/.test(document.querySelector('article footer')?.textContent ?? '')) return
          clearInterval(look)
          resolve(Date.now())
        }, 20)
      }),
  )
  const doneAfterLastByteMs = (await priced) - (await ended)
  const { longTasksMs } = await page.evaluate(() => window.notes ?? { longTasksMs: [] })
  const after = await snapshot(session)
  return {
    longestTaskMs: Math.max(0, ...longTasksMs),
    longTaskCount: longTasksMs.length,
    scriptMs: (after.scriptSeconds - before.scriptSeconds) * 1_000,
    styleAndLayoutMs: (after.layoutSeconds - before.layoutSeconds) * 1_000,
    heapMegabytes: (after.heapBytes - before.heapBytes) / 1e6,
    doneAfterLastByteMs,
  }
}

const directory = mkdtempSync(join(tmpdir(), 'tuppence-bench-'))
const upstream = await startStandInUpstream()
const app = await startApp({ dataDirectory: directory, upstreamBaseUrl: upstream.baseUrl })
const browser = await chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox'] })
try {
  const steps = answerSteps(answerText())
  for (let run = 0; run < RUN_COUNT; run += 1) {
    const context = await browser.newContext({ viewport: VIEWPORT, baseURL: app.baseUrl })
    const page = await context.newPage()
    page.setDefaultTimeout(ANSWER_TIMEOUT_MS)
    const api = await request.newContext({ baseURL: app.baseUrl })
    await holdCredit(page, (await createAccount(api, 1)).creditId)
    await page.goto('/')
    const figures = await measure(page, upstream, steps, run)
    console.log(
      [
        `longest task ${figures.longestTaskMs.toFixed(0)} ms (50), ${figures.longTaskCount} over 50 ms`,
        `script ${(figures.scriptMs / 1_000).toFixed(2)} s (1.3)`,
        `style and layout ${(figures.styleAndLayoutMs / 1_000).toFixed(2)} s`,
        `heap +${figures.heapMegabytes.toFixed(1)} MB (10)`,
        `done ${figures.doneAfterLastByteMs.toFixed(0)} ms after the last byte (500)`,
      ].join(' · '),
    )
    await api.dispose()
    await context.close()
  }
} finally {
  await browser.close()
  await app.stop()
  await upstream.close()
  rmSync(directory, { recursive: true, force: true })
}
