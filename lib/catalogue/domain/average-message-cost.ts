import type { Nano } from '@/lib/money/nano'
import { cost, NO_USAGE } from './cost'
import { EVERYDAY_ANSWER_TOKEN_COUNT } from './everyday'
import type { Model } from './model'
import { searchesUnasked } from './model-kind'

/** A question of a few sentences with two earlier exchanges as its context. */
const AVERAGE_INPUT_TOKEN_COUNT = 1_000

/** What an everyday message costs: a figure to compare models by, not a promise. */
export function averageMessageCost({ id, prices }: Pick<Model, 'id' | 'prices'>): Nano {
  return cost({
    prices,
    usage: {
      ...NO_USAGE,
      inputTokenCount: AVERAGE_INPUT_TOKEN_COUNT,
      outputTokenCount: EVERYDAY_ANSWER_TOKEN_COUNT,
      webSearchCount: searchesUnasked(id) ? 1 : 0,
    },
  })
}
