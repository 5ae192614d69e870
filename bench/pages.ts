import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from '@playwright/test'
import { type StandInOptions, type StandInUpstream, startStandInUpstream } from '../test/stand-ins/upstream'
import { startApp } from '../test/support/app-process'
import { findChromium } from '../test/support/find-chromium.mjs'

export interface Site {
  baseURL: string
  upstream: StandInUpstream
  /** A visitor for whom nothing is cached or stored. */
  withPage<Result>(
    options: BrowserContextOptions & { cpuSlowdown?: number },
    act: (page: Page) => Promise<Result>,
  ): Promise<Result>
}

declare global {
  interface Window {
    longTasksMs: number[]
  }
}

const TIMEOUT_MS = 120_000

/** Records tasks of over 50 ms, which a person notices. */
function noteLongTasks(): void {
  window.longTasksMs = []
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) window.longTasksMs.push(entry.duration)
  }).observe({ type: 'longtask', buffered: true })
}

/** Those since the last call, longest first. */
export async function takeLongTasks(page: Page): Promise<number[]> {
  const tasksMs = await page.evaluate(() => window.longTasksMs.splice(0))
  return tasksMs.sort((left, right) => right - left)
}

/** The production build with an upstream that follows instructions, and a browser. */
export async function withSite<Result>(
  act: (site: Site) => Promise<Result>,
  host: StandInOptions = {},
): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'tuppence-bench-'))
  const upstream = await startStandInUpstream(host)
  const app = await startApp({ dataDirectory: directory, upstreamBaseUrl: upstream.baseUrl })
  const browser = await chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox'] })
  try {
    const withPage: Site['withPage'] = (options, use) => openPage(browser, app.baseUrl, options, use)
    // A browser's first page includes the browser's own start.
    await withPage({}, page => page.goto('/', { waitUntil: 'networkidle' }))
    return await act({ baseURL: app.baseUrl, upstream, withPage })
  } finally {
    await browser.close()
    await app.stop()
    await upstream.close()
    await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

async function openPage<Result>(
  browser: Browser,
  baseURL: string,
  { cpuSlowdown = 1, ...options }: BrowserContextOptions & { cpuSlowdown?: number },
  use: (page: Page) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, baseURL, ...options })
  try {
    // Code compiled for Node names functions with a helper that pages lack.
    await context.addInitScript('globalThis.__name = named => named')
    await context.addInitScript(noteLongTasks)
    const page = await context.newPage()
    page.setDefaultTimeout(TIMEOUT_MS)
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown })
    return await use(page)
  } finally {
    await context.close()
  }
}
