import type { Query } from '@/lib/api/contracts/queries'
import { cost, NO_USAGE } from '@/lib/catalogue/domain/cost'
import type { Prices } from '@/lib/catalogue/domain/model'
import { parseExactJson } from '@/lib/catalogue/domain/parse-exact-json'
import { parsePriceSnapshot } from '@/lib/catalogue/domain/price-snapshot'
import { costsNothing, readPricing } from '@/lib/catalogue/domain/usable-prices'
import { fieldsOf, isObject, listOf } from '@/lib/http/domain/is-object'
import { type Nano, parseNano, usdNumberToNano } from '@/lib/money/nano'
import { costParts, countsOfCall } from './cost-parts'

interface StatementRow {
  modelId: string
  callCount: number
  /** Only of calls that are priced by token. */
  inputTokenCount: number
  outputTokenCount: number
  chargedNano: Nano
}

export interface MonthStatement {
  /** The most expensive first. */
  rows: StatementRow[]
  callCount: number
  chargedNano: Nano
}

/** The totals of a month, exact to the nano-dollar. */
export function makeStatement(calls: readonly Query[]): MonthStatement {
  const rows = new Map<string, StatementRow>()
  for (const call of calls) {
    const none = { callCount: 0, inputTokenCount: 0, outputTokenCount: 0, chargedNano: 0n }
    const row = rows.get(call.model) ?? { modelId: call.model, ...none }
    const isByToken = !('input_character' in call.price_snapshot || 'input_second' in call.price_snapshot)
    rows.set(call.model, {
      modelId: call.model,
      callCount: row.callCount + 1,
      inputTokenCount: row.inputTokenCount + (isByToken ? call.input_count : 0),
      outputTokenCount: row.outputTokenCount + (isByToken ? call.output_count : 0),
      chargedNano: row.chargedNano + usdNumberToNano(call.price_in_usd),
    })
  }
  const dearestFirst = [...rows.values()].sort((left, right) =>
    left.chargedNano === right.chargedNano
      ? right.callCount - left.callCount
      : left.chargedNano < right.chargedNano
        ? 1
        : -1,
  )
  return {
    rows: dearestFirst,
    callCount: calls.length,
    chargedNano: dearestFirst.reduce((sum, row) => sum + row.chargedNano, 0n),
  }
}

/** A model to compare with. */
export interface OtherModel {
  id: string
  name: string
  prices: Prices
}

/** The models of `GET /v1/models?type=chat`, from the response's text so that no digit of a price is lost. */
export function readOtherModels(text: string): OtherModel[] {
  return listOf(fieldsOf(parseExactJson(text)).data).flatMap(entry => {
    if (!isObject(entry) || typeof entry.id !== 'string' || !isObject(entry.pricing)) return []
    const reading = readPricing(entry.pricing, Number.POSITIVE_INFINITY)
    if (reading.outcome !== 'usable') return []
    const name = typeof entry.name === 'string' && entry.name !== '' ? entry.name : entry.id
    return [{ id: entry.id, name, prices: reading.prices }]
  })
}

export interface CallComparison {
  /** The calls that the other model could have answered, and their cost. */
  callCount: number
  paidNano: Nano
  /** The cost of the same counts at the other model's prices. */
  otherNano: Nano
  /** In whole percent of what was paid: negative is cheaper. Null if nothing was paid. */
  changePercent: number | null
  /** Paid calls of other kinds, which are not compared. */
  leftOutCount: number
  /** Reasoning tokens, counted as if the other model used as many. */
  reasoningTokenCount: number
  /** Tokens read from a cache, counted as if the other model's host had cached them too. */
  cachedTokenCount: number
  /** Charges beyond these tokens, such as for pictures and searches; not included for the other model. */
  unreckonedNano: Nano
}

/**
 * The same calls on another model, each rounded up as a charge is. The other model's tokenizer may count differently,
 * which is unknown.
 */
export function compareCalls(calls: readonly Query[], { prices }: OtherModel): CallComparison {
  const sum = {
    callCount: 0,
    paidNano: 0n,
    otherNano: 0n,
    leftOutCount: 0,
    reasoningTokenCount: 0,
    cachedTokenCount: 0,
    unreckonedNano: 0n,
  }
  for (const call of calls) {
    const paidNano = usdNumberToNano(call.price_in_usd)
    if (!isComparable(call)) {
      if (paidNano > 0n) sum.leftOutCount += 1
      continue
    }
    sum.callCount += 1
    sum.paidNano += paidNano
    sum.otherNano += costOn(prices, call)
    sum.reasoningTokenCount += call.reasoning_count
    sum.cachedTokenCount += call.cached_input_count
    // If less was charged than the tokens cost, nothing else was.
    sum.unreckonedNano += parseNano(costParts(call)?.differenceUsd ?? '0') ?? 0n
  }
  return { ...sum, changePercent: percentChange(sum.paidNano, sum.otherNano) }
}

/**
 * Text calls that were paid for, or that a free model answered. A call that failed and was not charged would have cost
 * nothing elsewhere.
 */
function isComparable(call: Query): boolean {
  if (call.query_type !== 'chat') return false
  if (call.price_in_usd > 0) return true
  const prices = parsePriceSnapshot(call.price_snapshot)
  return prices !== null && costsNothing(prices) && call.output_count > 0
}

function costOn(prices: Prices, call: Query): Nano {
  return cost({ prices, usage: { ...NO_USAGE, ...countsOfCall(call) }, at: new Date(call.timestamp) })
}

/** Rounded to the nearest whole percent, in bigint, since the amounts may exceed what a number holds exactly. */
function percentChange(paid: Nano, other: Nano): number | null {
  if (paid === 0n) return null
  const doubled = ((other - paid) * 200n) / paid
  return Math.trunc((Number(doubled) + Math.sign(Number(doubled))) / 2)
}

export interface StatementMonth {
  /** The month's first moment in local time. */
  first: Date
  fromSeconds: number
  toSeconds: number
}

/** The current month and those before it, newest first. */
export function statementMonths(nowMs: number, count: number): StatementMonth[] {
  const now = new Date(nowMs)
  return Array.from({ length: count }, (_, ago) => {
    const first = new Date(now.getFullYear(), now.getMonth() - ago, 1)
    const next = new Date(now.getFullYear(), now.getMonth() - ago + 1, 1)
    return { first, fromSeconds: first.getTime() / 1000, toSeconds: next.getTime() / 1000 }
  })
}
