import { isObject } from '@/lib/http/domain/is-object'
import type { Conversation } from './domain/conversation'
import { conversationCost } from './domain/conversation-cost'
import { guardedStorage } from './storage/guarded-storage'
import { parseStored } from './storage/json'
import { SPENDING_LIMITS_KEY } from './storage/storage-keys'
import { createTextStore } from './storage/text-store'

/** Dollars that are spent without a word; null where the person has set nothing. */
export interface SpendingLimits {
  readonly messageUsd: number | null
  readonly conversationUsd: number | null
}

/**
 * From here on a price is asked about before it is paid, unless another limit is set. Ten cents are some hundred
 * everyday answers, and a tenth of the dollar that most begin with: nobody spends them with a tap by mistake, and
 * few are asked twice.
 */
export const ASKED_FROM_USD = 0.1
/** More than any message costs: a larger number is damage, not a wish. */
const LIMIT_USD_MAX = 10_000

export function isSpendingLimit(usd: number): boolean {
  return Number.isFinite(usd) && usd >= 0 && usd <= LIMIT_USD_MAX
}

/** Kept as text, so that it is the same as long as nothing changes. */
export const spendingLimitsStore = createTextStore(guardedStorage, SPENDING_LIMITS_KEY, text => text)

export function readSpendingLimits(text = spendingLimitsStore.getSnapshot()): SpendingLimits {
  const stored = parseStored(text)
  const limit = (value: unknown) => (typeof value === 'number' && isSpendingLimit(value) ? value : null)
  const { message_usd, conversation_usd } = isObject(stored) ? stored : {}
  return { messageUsd: limit(message_usd), conversationUsd: limit(conversation_usd) }
}

/** False when local storage is full. */
export function writeSpendingLimits({ messageUsd, conversationUsd }: SpendingLimits): boolean {
  return spendingLimitsStore.write(
    JSON.stringify({ message_usd: messageUsd, conversation_usd: conversationUsd }),
  )
}

export function spentUsd(conversation: Conversation | null): number {
  return conversation ? Number(conversationCost(conversation).usd) : 0
}

/** What is about to be spent, in dollars. */
export interface Spending {
  /** About that much; null where it is not known. */
  readonly aboutUsd: number | null
  /** No more than that is taken; null where nothing is promised. */
  readonly mostUsd: number | null
  /** By the conversation before. */
  readonly spentUsd: number
}

/** What has to be asked first; null where there is nothing to ask. */
export interface SpendingQuestion {
  readonly about: 'price' | 'message' | 'conversation'
  readonly usd: number
  /** With what was spent before. */
  readonly totalUsd: number
}

/** A limit that somebody has set is kept by the most that it can cost; without one, the likely price decides. */
export function questionAbout(limits: SpendingLimits, spending: Spending): SpendingQuestion | null {
  const usd = spending.mostUsd ?? spending.aboutUsd
  if (usd === null || usd === 0) return null
  const totalUsd = spending.spentUsd + usd
  if (limits.conversationUsd !== null && totalUsd > limits.conversationUsd) {
    return { about: 'conversation', usd, totalUsd }
  }
  if (limits.messageUsd !== null) {
    return usd > limits.messageUsd ? { about: 'message', usd, totalUsd } : null
  }
  const { aboutUsd } = spending
  return aboutUsd !== null && aboutUsd >= ASKED_FROM_USD ? { about: 'price', usd: aboutUsd, totalUsd } : null
}
