import type { Page } from '@playwright/test'
import type { StandInOptions } from '../test/stand-ins/upstream'
import { standInModel } from '../test/stand-ins/upstream-models'
import { type Figure, medianFigure } from './figure'
import { takeLongTasks, withSite } from './pages'

/** Largest contentful paint, layout shift and blocking time of a first visit. */
const PATHS = ['/', '/pricing']
const FURTHER_PATHS = ['/top-up', '/account']
const RUN_COUNT = Number(process.env.BENCH_RUNS ?? '3')
/** After the network is idle, because late shifts and tasks come with timers. */
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
  name: '',
  cpuSlowdown: 1,
  // Negative means unlimited.
  bytesPerSecond: -1,
  budget: { paintMs: 280, shift: 0, blockingMs: 50 },
}
const SLOW: Mode = {
  name: ', CPU x4, 10 Mbit/s',
  cpuSlowdown: 4,
  bytesPerSecond: 10_000_000 / 8,
  budget: { paintMs: 400, shift: 0, blockingMs: 80 },
}

declare global {
  interface Window {
    figures: { paintMs: number; shift: number }
  }
}

/** Runs in the page before any of its own scripts. */
function observe(): void {
  window.figures = { paintMs: 0, shift: 0 }
  for (const type of ['largest-contentful-paint', 'layout-shift']) {
    new PerformanceObserver(list => {
      for (const entry of list.getEntries()) {
        if (type === 'largest-contentful-paint') window.figures.paintMs = entry.startTime
        else if ('value' in entry && typeof entry.value === 'number') window.figures.shift += entry.value
      }
    }).observe({ type, buffered: true })
  }
}

async function visit(page: Page, mode: Mode, address: string): Promise<Figures> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: mode.bytesPerSecond,
    uploadThroughput: mode.bytesPerSecond,
  })
  await page.addInitScript(observe)
  await page.goto(address, { waitUntil: 'networkidle' })
  await page.waitForTimeout(SETTLE_MS)
  const { paintMs, shift } = await page.evaluate(() => window.figures)
  if (paintMs === 0) throw new Error(`${address} painted nothing.`)
  const blockingMs = (await takeLongTasks(page)).reduce(
    (sum, duration) => sum + duration - BLOCKING_TASK_MS,
    0,
  )
  // Less than a hundredth is a fraction of a pixel.
  return { paintMs, shift: Number(shift.toFixed(2)), blockingMs }
}

/** As many as the largest hosts have. */
const MANY_MODELS = Array.from({ length: 600 }, (_, index) => {
  const usd = 0.00000002 * 1.015 ** index
  return standInModel({
    id: `maker-${index % 6}/model-${index}`,
    name: `Model ${index}, large, for instructions`,
    prompt: usd.toFixed(12),
    completion: (usd * 4).toFixed(12),
  })
})

export async function measurePaint(everything: boolean): Promise<Figure[]> {
  const few = await measureSite(everything, '')
  return [...few, ...(await measureSite(false, `, ${MANY_MODELS.length} models`, { models: MANY_MODELS }))]
}

function measureSite(everything: boolean, siteName: string, host: StandInOptions = {}): Promise<Figure[]> {
  return withSite(async ({ withPage }) => {
    const figures: Figure[] = []
    for (const mode of everything ? [PLAIN, SLOW] : [SLOW]) {
      for (const path of everything ? [...PATHS, ...FURTHER_PATHS] : PATHS) {
        const runs: Figures[] = []
        for (let run = 0; run < RUN_COUNT; run += 1) {
          runs.push(await withPage({ cpuSlowdown: mode.cpuSlowdown }, page => visit(page, mode, path)))
        }
        const figure = (name: string, field: keyof Figures) => {
          const ours = runs.map(run => run[field])
          return medianFigure(`${path}${siteName}${mode.name}: ${name}`, ours, mode.budget[field])
        }
        figures.push(
          figure('LCP, ms', 'paintMs'),
          figure('layout shift', 'shift'),
          figure('blocking, ms', 'blockingMs'),
        )
      }
    }
    return figures
  }, host)
}
