import type { Nano } from '@/lib/money/nano'
import { cost, NO_USAGE } from './cost'
import type { Prices } from './model'

/** A question of a few sentences with two earlier exchanges as its context. */
const AVERAGE_INPUT_TOKEN_COUNT = 1_000
/** An answer of about 300 words. */
const AVERAGE_OUTPUT_TOKEN_COUNT = 400

/** What an everyday message costs: a figure to compare models by, not a promise. */
export function averageMessageCost(prices: Prices): Nano {
  return cost({
    prices,
    usage: {
      ...NO_USAGE,
      inputTokenCount: AVERAGE_INPUT_TOKEN_COUNT,
      outputTokenCount: AVERAGE_OUTPUT_TOKEN_COUNT,
    },
  })
}
