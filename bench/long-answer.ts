import { type CDPSession, type Page, request } from '@playwright/test'
import type { StandInUpstream } from '../test/stand-ins/upstream'
import { standInModel } from '../test/stand-ins/upstream-models'
import type { Step } from '../test/stand-ins/upstream-script'
import { createAccount, holdCredit } from '../test/support/account'
import { type Figure, medianFigure } from './figure'
import { type Site, takeLongTasks, withSite } from './pages'

/** A 100 kB answer with all of Markdown's elements, streamed at 200 chunks a second to a real page. */
const RUN_COUNT = Number(process.env.BENCH_RUNS ?? '1')
const ANSWER_CHARACTER_COUNT = 100_000
const CHUNK_CHARACTER_COUNT = 20
const CHUNK_INTERVAL_MS = 5
/** A host that reported one token for twenty characters would not be trusted, and its answer would be counted here. */
const CHUNK_TOKEN_COUNT = 3
/** A model that may write this much: one with a shorter limit had only 82 of the 100 kB measured. */
const MODEL = standInModel({
  id: 'standin/writer',
  prompt: '0.000001',
  completion: '0.000002',
  contextLength: 200_000,
  outputTokenCountMax: 50_000,
})
const MAX_CHARGE_HEADER = 'x-max-charge-usd'
const PRICE_PATTERN = /\d cents?|\$\d/
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

const SECTION_COUNT = Math.ceil(ANSWER_CHARACTER_COUNT / SECTION.length)
const ANSWER_TEXT = Array.from({ length: SECTION_COUNT }, (_, index) =>
  SECTION.replace('Why', `${index + 1}. Why`),
)
  .join('\n\n')
  .slice(0, ANSWER_CHARACTER_COUNT)
const HEADING_COUNT = ANSWER_TEXT.match(/^## /gm)?.length ?? 0

function answerSteps(text: string): Step[] {
  const steps: Step[] = []
  for (let start = 0; start < text.length; start += CHUNK_CHARACTER_COUNT) {
    const chunk = text.slice(start, start + CHUNK_CHARACTER_COUNT)
    steps.push({ type: 'text', text: chunk, tokens: CHUNK_TOKEN_COUNT })
    steps.push({ type: 'wait', milliseconds: CHUNK_INTERVAL_MS })
  }
  return steps
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

/** Asks a question, and waits until the answer's price is shown. */
async function visit(page: Page, upstream: StandInUpstream, steps: Step[], run: number): Promise<Figures> {
  const session = await page.context().newCDPSession(page)
  // The page's own processor time: with other work on the machine, the clock says little.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.waitForLoadState('networkidle')
  // The code that finds elements is injected on first use, and should not count as the page's.
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  const before = await snapshot(session)
  await takeLongTasks(page)
  upstream.setScript({ chat: { steps } })
  // An answer of this length costs more than the maximum that is promised for a question.
  await page.route('**/v1/chat/completions', async (route, asked) => {
    const { [MAX_CHARGE_HEADER]: _, ...headers } = await asked.allHeaders()
    await route.continue({ headers })
  })
  await page.getByRole('textbox', { name: 'Message' }).fill('Tell me all about coffee.')
  await page.getByRole('button', { name: 'Send' }).click()
  const exchange = await upstream.requestTo('/chat/completions', run)
  await exchange.ended
  const endedAt = Date.now()
  // Searched for within the page itself, and only now: polling fifty times a second added a tenth to its script time.
  const pricedAt = await page.evaluate(
    pattern =>
      new Promise<number>(resolve => {
        const look = setInterval(() => {
          const footers = [...document.querySelectorAll('article footer')]
          if (!footers.some(({ textContent }) => new RegExp(pattern).test(textContent ?? ''))) return
          clearInterval(look)
          resolve(Date.now())
        }, 20)
      }),
    PRICE_PATTERN.source,
  )
  const doneAfterLastByteMs = pricedAt - endedAt
  const longTasksMs = await takeLongTasks(page)
  const headingCount = await page.locator('[data-answer] h3').count()
  if (headingCount !== HEADING_COUNT)
    throw new Error(`The page shows ${headingCount} sections of ${HEADING_COUNT}.`)
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

export const measureAnswer = (): Promise<Figure[]> => withSite(measure, { models: [MODEL] })

async function measure({ baseURL, upstream, withPage }: Site): Promise<Figure[]> {
  const steps = answerSteps(ANSWER_TEXT)
  const api = await request.newContext({ baseURL })
  const runs: Figures[] = []
  for (let run = 0; run < RUN_COUNT; run += 1) {
    const { creditId } = await createAccount(api, 1)
    runs.push(
      await withPage({}, async page => {
        await holdCredit(page, creditId)
        await page.goto('/')
        return visit(page, upstream, steps, run)
      }),
    )
  }
  await api.dispose()
  const figure = (what: string, field: keyof Figures, atMost?: number) => {
    const ours = runs.map(run => run[field])
    return medianFigure(`100 kB answer: ${what}`, ours, atMost)
  }
  return [
    figure('longest task, ms (0: none over 50)', 'longestTaskMs', 50),
    figure('tasks over 50 ms', 'longTaskCount'),
    figure('script, ms', 'scriptMs', 800),
    figure('style and layout, ms', 'styleAndLayoutMs'),
    figure('heap, MB', 'heapMegabytes', 10),
    figure('done after the last byte, ms', 'doneAfterLastByteMs', 300),
  ]
}
