import { formatUsd, parseNano } from '@/lib/money/nano'
import type { Conversation } from './conversation'
import { allMessages } from './turns'

/** What a conversation has cost so far, exactly: every version of an answer, and what was read aloud. */
export function conversationCost(conversation: Conversation): { usd: string; answerCount: number } {
  const receipts = allMessages(conversation).flatMap(({ receipt, speech_receipt: speech }) => [
    ...(receipt ? [receipt.cost_usd] : []),
    ...(speech ? [speech.cost_usd] : []),
  ])
  return {
    // A text that is not an amount, such as in another product's file, adds nothing.
    usd: formatUsd(receipts.reduce((sum, usd) => sum + (parseNano(usd) ?? 0n), 0n)),
    answerCount: allMessages(conversation).filter(({ receipt }) => receipt).length,
  }
}
