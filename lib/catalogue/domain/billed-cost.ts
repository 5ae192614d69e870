import { fieldsOf, isObject } from '@/lib/http/domain/is-object'
import { add, type Decimal, isNegative, parseDecimal } from '@/lib/money/decimal'

/**
 * What an upstream bills by its own report. If it used the operator's own key at the model's host (`is_byok`), that
 * host's bill comes on top of the upstream's fee, which alone says next to nothing. Null if a part is missing or
 * negative.
 */
export function billedCost(report: {
  feeUsd: Decimal | null
  isOwnKey: boolean
  hostsUsd: Decimal | null
}): Decimal | null {
  const { feeUsd, isOwnKey, hostsUsd } = report
  if (!feeUsd || isNegative(feeUsd)) return null
  if (!isOwnKey) return feeUsd
  return hostsUsd && !isNegative(hostsUsd) ? add(feeUsd, hostsUsd) : null
}

/**
 * The cost in USD that an upstream reports in its `usage`, or null if it reports none. Perplexity reports its parts and
 * their sum; xAI, ten billionths of a dollar (https://docs.x.ai/developers/cost-tracking).
 */
export function readCost(report: unknown): Decimal | null {
  if (!isObject(report)) return null
  return billedCost({
    feeUsd: readUsd(isObject(report.cost) ? report.cost.total_cost : report.cost) ?? readTicks(report),
    isOwnKey: report.is_byok === true,
    hostsUsd: readUsd(fieldsOf(report.cost_details).upstream_inference_cost),
  })
}

function readUsd(value: unknown): Decimal | null {
  return typeof value === 'number' || typeof value === 'string' ? parseDecimal(String(value)) : null
}

const TICK_SCALE = 10

function readTicks({ cost_in_usd_ticks: ticks }: Record<string, unknown>): Decimal | null {
  if (typeof ticks !== 'number' || !Number.isSafeInteger(ticks)) return null
  return { coefficient: BigInt(ticks), scale: TICK_SCALE }
}
