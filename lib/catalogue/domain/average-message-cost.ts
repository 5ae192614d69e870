import type { Nano } from '@/lib/money/nano'
import { cost, NO_USAGE } from './cost'
import { EVERYDAY_ANSWER_TOKEN_COUNT, EVERYDAY_QUESTION_TOKEN_COUNT, THOUGHT_TOKEN_COUNT } from './everyday'
import type { Model } from './model'
import { searchesUnasked } from './model-kind'

/** What an everyday message costs, as the picker tells it too: a figure to compare models by, not a promise. */
export function averageMessageCost({
  id,
  prices,
  reasoning,
}: Pick<Model, 'id' | 'prices' | 'reasoning'>): Nano {
  return cost({
    prices,
    usage: {
      ...NO_USAGE,
      inputTokenCount: EVERYDAY_QUESTION_TOKEN_COUNT,
      outputTokenCount: EVERYDAY_ANSWER_TOKEN_COUNT + (reasoning ? THOUGHT_TOKEN_COUNT : 0),
      webSearchCount: searchesUnasked(id) ? 1 : 0,
    },
  })
}
