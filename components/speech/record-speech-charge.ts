import { refreshBalance } from '@/components/credit/balance-store'
import { fetchQuery } from '@/lib/api/client/queries'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { creditIdStore } from '@/lib/local/credit-id'
import type { Message } from '@/lib/local/domain/conversation'
import { findTurn, replaceMessage } from '@/lib/local/domain/turns'
import { formatUsd, type Nano, parseNano, usdNumberToNano } from '@/lib/money/nano'
import type { Synthesis } from '@/lib/speech/client/synthesize'

interface SpokenMessage {
  readonly conversationId: string
  readonly messageId: string
}

/**
 * Adds the cost of a piece of speech to its message, and refreshes the balance. Never throws, since the sound is
 * already there.
 */
export async function recordSpeechCharge(spoken: SpokenMessage, bought: Synthesis): Promise<void> {
  const cost = (bought.costUsd === null ? null : parseNano(bought.costUsd)) ?? (await listedCost(bought))
  // An unknown cost is still listed in the account's usage.
  if (cost !== null) addToMessage(spoken, cost)
  await refreshBalance()
}

async function listedCost({ exchangeId }: Synthesis): Promise<Nano | null> {
  const creditId = creditIdStore.getSnapshot()
  if (!creditId || exchangeId === null) return null
  try {
    const { price_in_usd: usd } = await fetchQuery(creditId, exchangeId)
    return usdNumberToNano(usd)
  } catch {
    return null
  }
}

function addToMessage({ conversationId, messageId }: SpokenMessage, cost: Nano): void {
  const conversation = conversationStore.get(conversationId)
  const message = conversation && findTurn(conversation, messageId)
  if (conversation && message)
    conversationStore.saveConversation(replaceMessage(conversation, withCost(message, cost)))
}

function withCost(message: Message, cost: Nano): Message {
  const known = parseNano(message.speech_receipt?.cost_usd ?? '0') ?? 0n
  return { ...message, speech_receipt: { cost_usd: formatUsd(known + cost) } }
}
