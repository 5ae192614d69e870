/**
 * The same history in a real browser, on a running production build with `SANDBOX=1`:
 * `npx tsx bench/local-data-browser.ts http://localhost:3000`. Prints what reading the stored history, the
 * start of the page, a search and a streaming answer take; a task over 50 ms is what a person notices.
 */
import { chromium, type Page } from '@playwright/test'
import { CONVERSATION_HISTORY_KEY, CREDIT_ID_KEY } from '../lib/local/storage/storage-keys'
import { createAccount } from '../test/support/account'
import { findChromium } from '../test/support/find-chromium.mjs'
import { CONVERSATION_COUNT, makeHistory } from './local-data-history'

const baseURL = process.argv[2] ?? 'http://localhost:3000'
const QUERIES = ['foret', 'strasse', 'COPPER cent', 'perche señor', 'nowhere']
/** The sandbox's model repeats it, in pieces. */
const LONG_QUESTION = 'word '.repeat(2_000)
const QUIET_MS = 4_000

async function seed(page: Page, creditId: string, history: string): Promise<void> {
  await page.route('**/seed.html', route => route.fulfill({ contentType: 'text/html', body: '' }))
  await page.goto('/seed.html')
  await page.evaluate(
    entries => {
      for (const [key, text] of entries) localStorage.setItem(key, text)
    },
    Object.entries({ [CREDIT_ID_KEY]: creditId, [CONVERSATION_HISTORY_KEY]: history }),
  )
}

/** Collects the durations of long tasks, in milliseconds, into the page's own list. */
function watchLongTasks(): void {
  const tasks: number[] = []
  Object.assign(window, { longTasks: tasks })
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) tasks.push(entry.duration)
  }).observe({ type: 'longtask', buffered: true })
}

const takeLongTasks = (page: Page): Promise<number[]> =>
  page.evaluate(() =>
    'longTasks' in window && Array.isArray(window.longTasks) ? window.longTasks.splice(0) : [],
  )

const millisecondsOf = (values: readonly number[]) =>
  values.length === 0 ? 'none' : values.map(value => value.toFixed(1)).join(', ')

/** From the keystroke to the first frame that shows its results, layout and painting included. */
function measureSearch(page: Page, query: string): Promise<number> {
  return page.getByRole('searchbox').evaluate(
    (input, text) =>
      new Promise<number>(resolve => {
        const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set
        const list = input.closest('nav')
        if (!list) throw new Error('The search stands in no list.')
        const observer = new MutationObserver(() => {
          observer.disconnect()
          requestAnimationFrame(() => resolve(performance.now() - start))
        })
        observer.observe(list, { childList: true, subtree: true, characterData: true })
        const start = performance.now()
        set?.call(input, text)
        input.dispatchEvent(new Event('input', { bubbles: true }))
      }),
    query,
  )
}

const browser = await chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox'] })
const context = await browser.newContext({ baseURL, viewport: { width: 1280, height: 800 } })
await context.addInitScript(watchLongTasks)
const page = await context.newPage()
const { creditId } = await createAccount(context.request, 1)

await seed(page, creditId, '[]')
await page.goto('/')
await page.waitForTimeout(QUIET_MS)
console.log(`empty start, long tasks (ms):            ${millisecondsOf(await takeLongTasks(page))}`)

const history = JSON.stringify(makeHistory())
await seed(page, creditId, history)
const read = await page.evaluate(key => {
  const start = performance.now()
  const length = JSON.parse(localStorage.getItem(key) ?? '[]').length
  return { length, durationMs: performance.now() - start }
}, CONVERSATION_HISTORY_KEY)
if (read.length !== CONVERSATION_COUNT) throw new Error('The history was not stored whole.')
console.log(
  `read and parse ${history.length} bytes (ms):   ${read.durationMs.toFixed(1)}   budget for opening < 100`,
)
await page.goto('/')
await page.getByRole('searchbox').waitFor()
await page.waitForTimeout(QUIET_MS)
console.log(`start with 1,000 chats, long tasks (ms): ${millisecondsOf(await takeLongTasks(page))}`)

const searches: number[] = []
for (const query of QUERIES) searches.push(await measureSearch(page, query))
console.log(`search, keystroke to frame (ms):         ${millisecondsOf(searches)}   budget < 30`)
await page.getByRole('searchbox').fill('')
await page.waitForTimeout(QUIET_MS)
await takeLongTasks(page)

await page.getByRole('textbox', { name: 'Message' }).fill(LONG_QUESTION)
await page.getByRole('button', { name: 'Send' }).click()
await page.getByRole('article', { name: 'Assistant message' }).waitFor()
await page.waitForTimeout(QUIET_MS)
console.log(`an answer streams in, long tasks (ms):   ${millisecondsOf(await takeLongTasks(page))}`)
await browser.close()
