import { loadavg } from 'node:os'
import { type Browser, chromium, type Page } from '@playwright/test'
import { findChromium } from '../test/support/find-chromium.mjs'

/**
 * Largest contentful paint, layout shift and blocking time of a first visit, beside their budgets:
 * npx tsx bench/page-paint.ts http://127.0.0.1:3000
 * The server must be a production build that is running. Figures of a busy machine say little: the load
 * average stands beside them.
 */
const PATHS = ['/', '/pricing', '/top-up']
const RUN_COUNT = 5
const VIEWPORT = { width: 1280, height: 800 }
/** After the network has become quiet; late shifts and tasks come with timers. */
const SETTLE_MS = 1_000
/** What a task may take before it counts as blocking, by definition. */
const BLOCKING_TASK_MS = 50

interface Mode {
  readonly name: string
  readonly cpuSlowdown: number
  readonly bytesPerSecond: number
  readonly budget: Figures
}

interface Figures {
  readonly paintMs: number
  readonly shift: number
  readonly blockingMs: number
}

const PLAIN: Mode = {
  name: 'plain',
  cpuSlowdown: 1,
  // Negative: not limited.
  bytesPerSecond: -1,
  budget: { paintMs: 280, shift: 0, blockingMs: 50 },
}
const SLOW: Mode = {
  name: 'CPU x4, 10 Mbit/s',
  cpuSlowdown: 4,
  bytesPerSecond: 10_000_000 / 8,
  budget: { paintMs: 600, shift: 0, blockingMs: 110 },
}

declare global {
  interface Window {
    figures: { paintMs: number; shift: number; tasksMs: number[] }
  }
}

/** Runs in the page before anything of its own. */
function observe(): void {
  window.figures = { paintMs: 0, shift: 0, tasksMs: [] }
  for (const type of ['largest-contentful-paint', 'layout-shift', 'longtask']) {
    new PerformanceObserver(list => {
      for (const entry of list.getEntries()) {
        if (type === 'largest-contentful-paint') window.figures.paintMs = entry.startTime
        else if (type === 'longtask') window.figures.tasksMs.push(entry.duration)
        else if ('value' in entry && typeof entry.value === 'number') window.figures.shift += entry.value
      }
    }).observe({ type, buffered: true })
  }
}

async function measure(page: Page, mode: Mode, address: string): Promise<Figures> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: mode.cpuSlowdown })
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: mode.bytesPerSecond,
    uploadThroughput: mode.bytesPerSecond,
  })
  await page.addInitScript(observe)
  await page.goto(address, { waitUntil: 'networkidle' })
  await page.waitForTimeout(SETTLE_MS)
  const { paintMs, shift, tasksMs } = await page.evaluate(() => window.figures)
  if (paintMs === 0) throw new Error(`${address} painted nothing.`)
  const blockingMs = tasksMs.reduce((sum, duration) => sum + duration - BLOCKING_TASK_MS, 0)
  return { paintMs, shift, blockingMs }
}

async function runs(browser: Browser, mode: Mode, address: string): Promise<Figures[]> {
  const all: Figures[] = []
  for (let run = 0; run < RUN_COUNT; run += 1) {
    // A context of its own: nothing cached, nothing stored.
    const context = await browser.newContext({ viewport: VIEWPORT })
    all.push(await measure(await context.newPage(), mode, address))
    await context.close()
  }
  return all
}

function spread(values: readonly number[], digits: number): string {
  const sorted = [...values].sort((left, right) => left - right)
  const [min, median, max] = [0, Math.floor(sorted.length / 2), sorted.length - 1].map(index =>
    (sorted[index] ?? 0).toFixed(digits),
  )
  return `${min} / ${median} / ${max}`
}

const [, , base = 'http://127.0.0.1:3000'] = process.argv
const browser = await chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox'] })
// The first page of a browser pays for its start.
await runs(browser, PLAIN, base)
const table: Record<string, Record<string, string>> = {}
for (const mode of [PLAIN, SLOW]) {
  for (const path of PATHS) {
    const loadAverage = (loadavg()[0] ?? 0).toFixed(2)
    const all = await runs(browser, mode, new URL(path, base).href)
    table[`${path} ${mode.name}`] = {
      'LCP ms': `${spread(
        all.map(one => one.paintMs),
        0,
      )} (< ${mode.budget.paintMs})`,
      CLS: `${spread(
        all.map(one => one.shift),
        4,
      )} (${mode.budget.shift})`,
      'TBT ms': `${spread(
        all.map(one => one.blockingMs),
        0,
      )} (< ${mode.budget.blockingMs})`,
      load: loadAverage,
    }
  }
}
console.log(`minimum / median / maximum of ${RUN_COUNT} first visits, with the budget`)
console.table(table)
await browser.close()
