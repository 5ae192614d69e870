import { loadavg } from 'node:os'
import { type Browser, chromium } from '@playwright/test'
import { findChromium } from '../test/support/find-chromium.mjs'

/**
 * How long the list of models takes to open and what its scrolling costs, for 600 models on a phone with a
 * quarter of this machine's speed: npx tsx bench/model-picker.ts http://127.0.0.1:3000
 * The server must be a production build that is running; its list is replaced. "First" is the first click
 * of a visit, which fetches the list's code as well.
 */
const MODEL_COUNT = 600
const RUN_COUNT = 5
const CPU_SLOWDOWN = 4
const VIEWPORT = { width: 360, height: 740 }
const SCROLL_STEP_PX = 400
const SCROLL_COUNT = 60
const OPEN_BUDGET_MS = 100
const SETTLE_MS = 1_500

const MAKERS = ['ash', 'birch', 'cedar', 'fir', 'holly', 'larch']

const models = Array.from({ length: MODEL_COUNT }, (_, index) => {
  const maker = MAKERS[index % MAKERS.length] ?? ''
  const price = 0.00000002 * 1.015 ** index
  return {
    id: `${maker}/model-${index}`,
    name: `Model ${index} of ${maker}, large, for instructions`,
    owned_by: maker,
    type: 'chat',
    created: 1_700_000_000 + index * 86_400,
    description: 'Answers questions, writes code and reads long documents. '.repeat(10),
    context_length: 8_192 * (1 + (index % 12)),
    architecture: { input_modalities: index % 3 ? ['text', 'image'] : ['text'], output_modalities: ['text'] },
    pricing: { prompt: price.toFixed(12), completion: (price * 4).toFixed(12) },
    supported_parameters: ['temperature', 'tools'],
    expiration_date: index % 30 === 5 ? '2099-12-24' : null,
  }
})

interface Figures {
  firstMs: number
  againMs: number
  openTaskMs: number
  scrollTaskMs: number
  sortMs: number
  optionCount: number
}

declare global {
  interface Window {
    longTasksMs: number[]
    openPickerMs: () => Promise<number>
  }
}

/** Runs in the page before anything of its own. */
function prepare(): void {
  window.longTasksMs = []
  new PerformanceObserver(list => {
    window.longTasksMs.push(...list.getEntries().map(({ duration }) => duration))
  }).observe({ type: 'longtask' })
  window.openPickerMs = () =>
    new Promise(resolve => {
      const startMs = performance.now()
      document.querySelector<HTMLElement>('button[role="combobox"]')?.click()
      const look = () => {
        if (document.querySelector('dialog[open] [role="option"]') === null) requestAnimationFrame(look)
        // The frame that has it is painted before the next one begins.
        else requestAnimationFrame(() => resolve(performance.now() - startMs))
      }
      requestAnimationFrame(look)
    })
}

async function measure(browser: Browser, address: string): Promise<Figures> {
  // A context of its own: nothing cached, nothing stored.
  const context = await browser.newContext({
    viewport: VIEWPORT,
    hasTouch: true,
    isMobile: true,
    serviceWorkers: 'block',
  })
  const page = await context.newPage()
  await page.addInitScript(prepare)
  await page.route('**/v1/models?*', route => route.fulfill({ json: { object: 'list', data: models } }))
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  await page.goto(address, { waitUntil: 'networkidle' })
  await page.waitForTimeout(SETTLE_MS)
  const longest = () =>
    page.evaluate(() => {
      const longestMs = Math.max(0, ...window.longTasksMs)
      window.longTasksMs.length = 0
      return longestMs
    })
  const open = () => page.evaluate(() => window.openPickerMs())
  const close = async () => {
    await page.keyboard.press('Escape')
    await page.waitForTimeout(SETTLE_MS)
  }
  const firstMs = await open()
  await close()
  await longest()
  const againMs = await open()
  await page.waitForTimeout(SETTLE_MS)
  const openTaskMs = await longest()
  const list = page.getByRole('listbox')
  await page.evaluate(
    async ([stepPx, count]) => {
      const scroller = document.querySelector('dialog[open] [role="listbox"]')?.parentElement?.parentElement
      for (let step = 0; scroller && step < count; step += 1) {
        scroller.scrollTop += stepPx
        await new Promise(requestAnimationFrame)
      }
    },
    [SCROLL_STEP_PX, SCROLL_COUNT] as const,
  )
  await page.waitForTimeout(SETTLE_MS)
  const scrollTaskMs = await longest()
  const optionCount = await list.getByRole('option').count()
  await page.getByRole('button', { name: 'Cheapest' }).click()
  await page.waitForTimeout(SETTLE_MS)
  const sortMs = await longest()
  await context.close()
  return { firstMs, againMs, openTaskMs, scrollTaskMs, sortMs, optionCount }
}

function spread(values: readonly number[]): string {
  const sorted = [...values].sort((left, right) => left - right)
  const at = (index: number) => (sorted[index] ?? 0).toFixed(0)
  return `${at(0)} / ${at(Math.floor(sorted.length / 2))} / ${at(sorted.length - 1)}`
}

const [, , base = 'http://127.0.0.1:3000'] = process.argv
const browser = await chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox'] })
// The first page of a browser pays for its start.
await measure(browser, base)
const runs: Figures[] = []
for (let run = 0; run < RUN_COUNT; run += 1) runs.push(await measure(browser, base))
await browser.close()
console.log(`min / median / max of ${RUN_COUNT} runs, CPU x${CPU_SLOWDOWN}; load ${loadavg()[0]?.toFixed(2)}`)
console.table({
  [`opens, ms (< ${OPEN_BUDGET_MS})`]: spread(runs.map(({ againMs }) => againMs)),
  'opens at first, code fetched, ms': spread(runs.map(({ firstMs }) => firstMs)),
  'longest task while it opens, ms': spread(runs.map(({ openTaskMs }) => openTaskMs)),
  'longest task while it scrolls, ms (0: none over 50)': spread(runs.map(({ scrollTaskMs }) => scrollTaskMs)),
  'longest task when it is sorted by price, ms': spread(runs.map(({ sortMs }) => sortMs)),
  [`options on the page of ${MODEL_COUNT}`]: spread(runs.map(({ optionCount }) => optionCount)),
})
