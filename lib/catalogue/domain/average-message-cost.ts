import type { Nano } from '@/lib/money/nano'
import { cost, NO_USAGE } from './cost'
import { EVERYDAY_ANSWER_TOKEN_COUNT, EVERYDAY_QUESTION_TOKEN_COUNT, THOUGHT_TOKEN_COUNT } from './everyday'
import type { Model } from './model'
import { alwaysSearches } from './model-kind'

interface MessageTokens {
  read: number
  written: number
}

const EVERYDAY: MessageTokens = { read: EVERYDAY_QUESTION_TOKEN_COUNT, written: EVERYDAY_ANSWER_TOKEN_COUNT }

/**
 * What a message costs, by default an everyday one, as the picker shows it: including the reasoning and the search of
 * models that do these by themselves. A figure to compare models by, not a promise.
 */
export function averageMessageCost(
  { id, prices, reasoning }: Pick<Model, 'id' | 'prices' | 'reasoning'>,
  { read, written } = EVERYDAY,
): Nano {
  return cost({
    prices,
    usage: {
      ...NO_USAGE,
      inputTokenCount: read,
      outputTokenCount: written + (reasoning ? THOUGHT_TOKEN_COUNT : 0),
      webSearchCount: alwaysSearches(id) ? 1 : 0,
    },
  })
}
