import type { Page, Request } from '@playwright/test'
import type { Figure } from './figure'
import { withSite } from './pages'

/**
 * JavaScript that a first visitor fetches without doing anything, by compressed size. A chunk counts whatever requests
 * it: the page itself, a lazy import, or a prefetch of another page.
 */
const KILOBYTE = 1_000
const BUDGETS_KILOBYTES = { '/': 170, '/pricing': 140 }

/** Prefetches and lazy imports start well within this time after the last response. */
const QUIET_MS = 3_000
const QUIET_TIMEOUT_MS = 60_000
const QUIET_CHECK_INTERVAL_MS = 100

interface Script {
  readonly name: string
  readonly bytes: number
  readonly isBeforeIdle: boolean
}

declare global {
  interface Window {
    idleAtMs?: number
  }
}

/** The first idle moment of the browser after the load event. */
function noteIdle(): void {
  window.addEventListener('load', () => {
    requestIdleCallback(() => {
      window.idleAtMs = performance.timeOrigin + performance.now()
    })
  })
}

async function untilQuiet(page: Page): Promise<Request[]> {
  const requests: Request[] = []
  let openCount = 0
  let changedAtMs = performance.now()
  const change = (difference: number) => () => {
    openCount += difference
    changedAtMs = performance.now()
  }
  page.on('request', change(1))
  page.on('request', request => requests.push(request))
  page.on('requestfinished', change(-1))
  page.on('requestfailed', change(-1))
  const startedAtMs = performance.now()
  return new Promise((resolve, reject) => {
    const timer = setInterval(() => {
      const now = performance.now()
      if (openCount === 0 && requests.length > 0 && now - changedAtMs > QUIET_MS) {
        clearInterval(timer)
        resolve(requests)
      } else if (now - startedAtMs > QUIET_TIMEOUT_MS) {
        clearInterval(timer)
        reject(new Error(`${openCount} requests are still open after ${QUIET_TIMEOUT_MS} ms.`))
      }
    }, QUIET_CHECK_INTERVAL_MS)
  })
}

async function fetchedScripts(page: Page, address: string): Promise<Script[]> {
  await page.addInitScript(noteIdle)
  const quiet = untilQuiet(page)
  await page.goto(address)
  const requests = await quiet
  const idleAtMs = (await page.evaluate(() => window.idleAtMs)) ?? 0
  const scripts: Script[] = []
  for (const request of requests) {
    const response = await request.response()
    if (!response?.headers()['content-type']?.includes('javascript')) continue
    scripts.push({
      name: new URL(request.url()).pathname.split('/').at(-1) ?? '',
      bytes: (await request.sizes()).responseBodySize,
      isBeforeIdle: request.timing().startTime < idleAtMs,
    })
  }
  return scripts.sort((left, right) => right.bytes - left.bytes)
}

export const measureWeight = (): Promise<Figure[]> =>
  withSite(async ({ withPage }) => {
    const figures: Figure[] = []
    for (const [path, budget] of Object.entries(BUDGETS_KILOBYTES)) {
      const scripts = await withPage({}, page => fetchedScripts(page, path))
      const kilobytes = (some: readonly Script[]) =>
        some.reduce((sum, { bytes }) => sum + bytes, 0) / KILOBYTE
      figures.push(
        { what: `${path}: JavaScript, kB`, ours: kilobytes(scripts), budget: { atMost: budget } },
        {
          what: `${path}: of that before idle, kB`,
          ours: kilobytes(scripts.filter(script => script.isBeforeIdle)),
        },
      )
      for (const script of scripts)
        console.error(`${kilobytes([script]).toFixed(1).padStart(8)} kB  ${path}  ${script.name}`)
    }
    return figures
  })
