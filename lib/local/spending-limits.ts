import { fieldsOf } from '@/lib/http/domain/is-object'
import type { Conversation } from './domain/conversation'
import { conversationCost } from './domain/conversation-cost'
import { createEntryStore } from './storage/entry-store'
import { guardedStorage } from './storage/guarded-storage'
import { parseStored } from './storage/json'
import { SPENDING_LIMITS_KEY } from './storage/storage-keys'

/** Dollars that may be spent without asking; null if the person has not set a limit. */
export interface SpendingLimits {
  readonly messageUsd: number | null
  readonly conversationUsd: number | null
}

/**
 * From this price on the person is asked before paying, unless another limit is set. Ten cents are about a hundred
 * everyday answers, and a tenth of the dollar that most people start with: nobody spends them with an accidental tap,
 * and few people are asked twice.
 */
export const ASKED_FROM_USD = 0.1
/** More than any message costs: a larger number is damage, not a choice. */
export const LIMIT_USD_MAX = 10_000

export function isSpendingLimit(usd: number): boolean {
  return Number.isFinite(usd) && usd >= 0 && usd <= LIMIT_USD_MAX
}

export const spendingLimitsStore = createEntryStore(guardedStorage, SPENDING_LIMITS_KEY, parseLimits)

function parseLimits(text: string | null): SpendingLimits {
  const limit = (value: unknown) => (typeof value === 'number' && isSpendingLimit(value) ? value : null)
  const { message_usd, conversation_usd } = fieldsOf(parseStored(text))
  return { messageUsd: limit(message_usd), conversationUsd: limit(conversation_usd) }
}

/** Returns false if local storage is full. */
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
  /** The likely price; null if it is not known. */
  readonly aboutUsd: number | null
  /** The most that will be charged; null if nothing is promised. */
  readonly mostUsd: number | null
  /** What the conversation has cost before. */
  readonly spentUsd: number
}

/** A question to ask before spending. */
export interface SpendingQuestion {
  readonly about: 'price' | 'message' | 'conversation'
  readonly usd: number
  /** Including what was spent before. */
  readonly totalUsd: number
}

/**
 * A limit that the person has set is compared with the most that it can cost; without one, the likely price decides.
 */
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
