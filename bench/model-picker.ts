import type { Page } from '@playwright/test'
import { type Figure, medianFigure } from './figure'
import { type Site, takeLongTasks, withSite } from './pages'

/**
 * How long the list of models takes to open and what scrolling it costs, with 600 models on a phone with a quarter of
 * this machine's speed. "First" is the first click of a visit, which also fetches the list's code.
 */
const MODEL_COUNT = 600
const RUN_COUNT = Number(process.env.BENCH_RUNS ?? '3')
const CPU_SLOWDOWN = 4
const VIEWPORT = { width: 360, height: 740 }
const SCROLL_STEP_PX = 400
const SCROLL_COUNT = 60
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
    openPickerMs: () => Promise<number>
  }
}

/** Runs in the page before any of its own scripts. */
function prepare(): void {
  window.openPickerMs = () =>
    new Promise(resolve => {
      const startMs = performance.now()
      document.querySelector<HTMLElement>('button[role="combobox"]')?.click()
      const look = () => {
        if (document.querySelector('dialog[open] [role="option"]') === null) requestAnimationFrame(look)
        // This frame is painted before the next one begins.
        else requestAnimationFrame(() => resolve(performance.now() - startMs))
      }
      requestAnimationFrame(look)
    })
}

async function visit(page: Page): Promise<Figures> {
  await page.addInitScript(prepare)
  await page.route('**/v1/models?*', route => route.fulfill({ json: { object: 'list', data: models } }))
  await page.goto('/', { waitUntil: 'networkidle' })
  await page.waitForTimeout(SETTLE_MS)
  const longest = async () => (await takeLongTasks(page))[0] ?? 0
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
  return { firstMs, againMs, openTaskMs, scrollTaskMs, sortMs, optionCount }
}

/** Only the page's own list of models is requested. */
const PHONE = {
  viewport: VIEWPORT,
  hasTouch: true,
  isMobile: true,
  serviceWorkers: 'block',
  cpuSlowdown: CPU_SLOWDOWN,
} as const

export const measurePicker = (): Promise<Figure[]> =>
  withSite(async ({ withPage }: Site) => {
    const runs: Figures[] = []
    for (let run = 0; run < RUN_COUNT; run += 1) runs.push(await withPage(PHONE, visit))
    const figure = (what: string, field: keyof Figures, atMost?: number) => {
      const ours = runs.map(run => run[field])
      return medianFigure(`${MODEL_COUNT} models, CPU x${CPU_SLOWDOWN}: ${what}`, ours, atMost)
    }
    return [
      figure('opens, ms', 'againMs', 100),
      figure('opens first, code fetched, ms', 'firstMs'),
      figure('longest task while it opens, ms (0: none over 50)', 'openTaskMs'),
      figure('longest task while it scrolls, ms', 'scrollTaskMs', 50),
      figure('longest task when sorted by price, ms', 'sortMs'),
      figure('options on the page', 'optionCount'),
    ]
  })
