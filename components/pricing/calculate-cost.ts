import { averageMessageCost } from '@/lib/catalogue/domain/average-message-cost'
import { WORDS_PER_TOKEN } from '@/lib/catalogue/domain/everyday'
import type { Model } from '@/lib/catalogue/domain/model'
import { NANO_PER_USD, type Nano } from '@/lib/money/nano'

interface CalculatorInput {
  model: Pick<Model, 'id' | 'prices' | 'reasoning'>
  messageCount: number
  wordsReadCount: number
  wordsWrittenCount: number
}

interface CalculatorResult {
  totalNano: Nano
  messageNano: Nano
  /** Whole messages that a dollar buys; null if they are free. */
  messagesPerDollar: number | null
}

/** The cost of a number of equal messages. Each is rounded up by itself, as it is when charged. */
export function calculateCost({
  model,
  messageCount,
  wordsReadCount,
  wordsWrittenCount,
}: CalculatorInput): CalculatorResult {
  const messageNano = averageMessageCost(model, {
    read: toTokens(wordsReadCount),
    written: toTokens(wordsWrittenCount),
  })
  return {
    messageNano,
    totalNano: messageNano * BigInt(messageCount),
    messagesPerDollar: messageNano > 0n ? Number(NANO_PER_USD / messageNano) : null,
  }
}

function toTokens(wordCount: number): number {
  return Math.ceil(wordCount / WORDS_PER_TOKEN)
}
