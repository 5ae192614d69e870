import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { buildIfNeeded } from '../scripts/build-if-needed'
import { runCommand } from '../scripts/run-step'
import { type Figure, type MeasuredPart, toMarkdown, toRow, toShortMarkdown } from './figure'
import { measureGateway } from './gateway'
import { measureGrowth } from './growth'
import { measureLedger } from './ledger'
import { measureHistory } from './local-data'
import { measureAnswer } from './long-answer'
import { measureConversation } from './long-conversation'
import { measurePicker } from './model-picker'
import { measurePaint } from './page-paint'
import { measureWeight } from './page-weight'
import { measureProcesses } from './processes'

/**
 * All benchmarks, one after the other, in one table: `npm run bench`, on an otherwise idle machine.
 * `BENCH_ONLY=gateway,paint` selects parts, `BENCH_ALL=1` includes the long ones. The figures are written to
 * `bench/results.json`, and from there to README and docs/figures.md; `BENCH_JSON` names another file, and leaves the
 * pages unchanged.
 */
const RESULTS_FILE = 'bench/results.json'
const PAGES = { 'README.md': toShortMarkdown, 'docs/figures.md': toMarkdown }
const FIGURES_PATTERN = /(<!-- figures -->\n)[\s\S]*?(\n<!-- \/figures -->)/

const PARTS: Record<string, (everything: boolean) => Promise<Figure[]>> = {
  gateway: measureGateway,
  ledger: async () => (await measureLedger()).map(ledgerFigure),
  weight: measureWeight,
  paint: measurePaint,
  picker: measurePicker,
  answer: measureAnswer,
  conversation: measureConversation,
  history: measureHistory,
  processes: async () => processFigures(await measureProcesses()),
  growth: async () => growthFigures(await measureGrowth()),
}
/** Parts that only run with BENCH_ALL=1, because they take more than minutes. */
const LONG_PARTS = ['processes', 'growth']
/** A part that hangs must not keep the others from being measured. */
const PART_MINUTES_MAX = 5

interface Results {
  cores: number
  node: string
  parts: Record<string, MeasuredPart>
}

const everything = process.env.BENCH_ALL === '1'
const chosen = process.env.BENCH_ONLY?.split(',')
const names = chosen ?? Object.keys(PARTS).filter(name => everything || !LONG_PARTS.includes(name))
const unknown = names.filter(name => !Object.hasOwn(PARTS, name))
if (unknown.length > 0) {
  throw new Error(`There is no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}.`)
}

await buildIfNeeded()
const file = process.env.BENCH_JSON ?? RESULTS_FILE
const results: Results = existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : { parts: {} }
Object.assign(results, { cores: availableParallelism(), node: process.version })
const failed: string[] = []
for (const name of names) {
  const startedAt = performance.now()
  try {
    const figures = (await Promise.race([PARTS[name]?.(everything), tooLong()])) ?? []
    const loadAverage = Number(loadavg()[0]?.toFixed(2))
    results.parts[name] = { takenAt: new Date().toISOString(), loadAverage, figures }
  } catch (error) {
    // The other parts are still worth measuring.
    console.error(error)
    failed.push(name)
  }
  console.error(`${name}: ${Math.round((performance.now() - startedAt) / 1_000)} s`)
}

const figures = Object.keys(PARTS).flatMap(name => results.parts[name]?.figures ?? [])
const measured = names.flatMap(name => (failed.includes(name) ? [] : (results.parts[name]?.figures ?? [])))
console.table(measured.map(toRow))
if (!chosen && !everything) console.log(`Skipped without BENCH_ALL=1: ${LONG_PARTS.join(', ')}.`)
if (failed.length > 0) console.log(`Failed: ${failed.join(', ')}.`)
await writeFile(file, `${JSON.stringify(results, null, 2)}\n`)
if (file === RESULTS_FILE) await writePages(results)
process.exit(failed.length > 0 ? 1 : 0)

async function tooLong(): Promise<never> {
  await wait((everything ? 12 : 1) * PART_MINUTES_MAX * 60_000, undefined, { ref: false })
  throw new Error('It has not ended within its time.')
}

/** Replaces the text between the two marks in each page. */
async function writePages({ cores, node, parts }: Results): Promise<void> {
  const takenOn = Object.values(parts).map(part => part.takenAt.slice(0, 10))
  const load = Math.max(...Object.values(parts).map(part => part.loadAverage))
  const head = `Taken ${takenOn.sort().at(-1)} with Node ${node} on ${cores} cores, which load generator and upstream share (load average ${load} at the most).`
  for (const [page, toTable] of Object.entries(PAGES)) {
    const text = await readFile(page, 'utf8')
    const filled = text.replace(
      FIGURES_PATTERN,
      (_, start, end) => `${start}${head}\n\n${toTable(figures)}${end}`,
    )
    await writeFile(page, filled)
  }
  await runCommand('biome', ['format', '--write', ...Object.keys(PAGES), RESULTS_FILE])
}

function ledgerFigure(row: Awaited<ReturnType<typeof measureLedger>>[number]): Figure {
  const shape = `${row.accounts.toLocaleString('en')} accounts, ${row.parallel} at once`
  return {
    what: `hold + settle pairs per second, ${row.database}, ${shape}`,
    ours: row['pairs/s'],
    floors: { 'plain updates': row['plain updates/s'] },
  }
}

/** One process and several, on the same PostgreSQL. */
function processFigures(figures: Awaited<ReturnType<typeof measureProcesses>>): Figure[] {
  const [[firstName, first] = ['', { 'pairs/s': Number.NaN }], ...others] = Object.entries(figures)
  return others.map(([name, figure]) => ({
    what: `hold + settle pairs per second, ${name}`,
    ours: figure['pairs/s'],
    floors: { [firstName]: first['pairs/s'] },
  }))
}

/** The largest books compared with the smaller ones. */
function growthFigures(sizes: Awaited<ReturnType<typeof measureGrowth>>): Figure[] {
  const smaller = Object.entries(sizes)
  const [largestName, largest] = smaller.pop() ?? ['', {}]
  return Object.entries(largest).map(([name, value]) => ({
    what: `${name} (${largestName})`,
    ours: value,
    floors: Object.fromEntries(smaller.map(([size, figures]) => [size, figures[name] ?? Number.NaN])),
  }))
}
