import { percentile } from './exchange-client'

/** A measurement, beside the minimum that the same machine needs for it in the same run. */
export interface Figure {
  /** With its unit. */
  what: string
  ours: number
  /** By the name of the baseline; ours is compared with the first, unless the budget names another. */
  floors?: Record<string, number>
  budget?: Budget
}

/** Of what varies from run to run. */
export const medianFigure = (what: string, ours: readonly number[], atMost?: number): Figure => ({
  what,
  ours: percentile(ours, 0.5),
  budget: atMost === undefined ? undefined : { atMost },
})

/** For our figure, or for its ratio to one of the baselines. */
export interface Budget {
  atMost?: number
  atLeast?: number
  of?: string
}

export interface MeasuredPart {
  takenAt: string
  /** The machine's load at the time: under load, figures say little. */
  loadAverage: number
  figures: Figure[]
}

const HEADINGS = ['measured', 'here', 'beside', 'ratio', 'budget', ''] as const
type Row = Record<(typeof HEADINGS)[number], string>

export function toRow({ what, ours, floors = {}, budget }: Figure): Row {
  const floorName = budget?.of ?? Object.keys(floors)[0]
  const ratio = floorName === undefined ? null : ours / (floors[floorName] ?? Number.NaN)
  const judged = budget?.of === undefined ? ours : (ratio ?? Number.NaN)
  return {
    measured: what,
    here: short(ours),
    beside: Object.entries(floors)
      .map(([name, value]) => `${name} ${short(value)}`)
      .join(' · '),
    ratio: ratio === null ? '' : `${short(ratio)} of ${floorName}`,
    budget: budget ? describeBudget(budget) : '',
    '': budget ? (isWithin(judged, budget) ? 'ok' : 'missed') : '',
  }
}

/** All figures, as a Markdown table. */
export const toMarkdown = (figures: readonly Figure[]) => toTable(figures, HEADINGS)

/** The figures with a budget, without their baselines: enough for a front page. */
export const toShortMarkdown = (figures: readonly Figure[]) =>
  toTable(
    figures.filter(({ budget }) => budget),
    HEADINGS.filter(heading => heading !== 'beside'),
  )

function toTable(figures: readonly Figure[], headings: readonly (keyof Row)[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rows = figures.map(toRow).map(row => line(headings.map(heading => row[heading])))
  return [line(headings), line(headings.map(() => '---')), ...rows].join('\n')
}

const isWithin = (
  value: number,
  { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY }: Budget,
) => value <= atMost && value >= atLeast

function describeBudget({ atMost, atLeast, of }: Budget): string {
  const bound = atMost === undefined ? `>= ${short(atLeast ?? 0)}` : `<= ${short(atMost)}`
  return of === undefined ? bound : `${bound} of ${of}`
}

/** The significant digits, and enough to show a near miss of the budget. */
const short = (value: number) =>
  Math.abs(value) >= 1_000
    ? Math.round(value).toLocaleString('en')
    : String(Number(value.toPrecision(Math.abs(value) >= 100 ? 4 : 3)))
