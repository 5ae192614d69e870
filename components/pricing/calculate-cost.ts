import { cost, NO_USAGE } from '@/lib/catalogue/domain/cost'
import { WORDS_PER_TOKEN } from '@/lib/catalogue/domain/everyday'
import type { Prices } from '@/lib/catalogue/domain/model'
import { NANO_PER_USD, type Nano } from '@/lib/money/nano'

interface CalculatorInput {
  prices: Prices
  messageCount: number
  wordsReadCount: number
  wordsWrittenCount: number
}

interface CalculatorResult {
  totalNano: Nano
  messageNano: Nano
  /** Whole messages that a dollar buys; null when they are free. */
  messagesPerDollar: number | null
}

/** What a number of like messages costs. Each is rounded up by itself, as each is charged by itself. */
export function calculateCost({
  prices,
  messageCount,
  wordsReadCount,
  wordsWrittenCount,
}: CalculatorInput): CalculatorResult {
  const messageNano = cost({
    prices,
    usage: {
      ...NO_USAGE,
      inputTokenCount: toTokens(wordsReadCount),
      outputTokenCount: toTokens(wordsWrittenCount),
    },
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
