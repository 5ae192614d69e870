import { formatUsd, parseNano } from '@/lib/money/nano'
import type { Conversation, SpeechReceipt } from './conversation'
import { allMessages } from './turns'

/** What a conversation has cost so far, exactly: every version of an answer, and what was read aloud. */
export function conversationCost(conversation: Conversation): { usd: string; answerCount: number } {
  const messages = allMessages(conversation)
  return {
    usd: sumUsd(
      messages.flatMap(({ receipt, speech_receipt: speech }) => [receipt ?? [], speech ?? []].flat()),
    ),
    answerCount: messages.filter(({ receipt }) => receipt).length,
  }
}

/** A text that is not an amount, such as in another product's file, adds nothing. */
export function sumUsd(receipts: readonly SpeechReceipt[]): string {
  return formatUsd(receipts.reduce((sum, { cost_usd }) => sum + (parseNano(cost_usd) ?? 0n), 0n))
}
