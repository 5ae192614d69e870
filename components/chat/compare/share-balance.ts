import { DEFAULT_ANSWER_TOKEN_COUNT, EVERYDAY_ANSWER_TOKEN_COUNT } from '@/lib/catalogue/domain/everyday'
import { type Nano, nanoToUsdNumber } from '@/lib/money/nano'
import type { ChatModel } from '../chat-model'

/** The hold for the input counts its bytes, about four for each token. */
const HELD_PER_ESTIMATED = 4
/** Leaves room for changes of prices and balance until the last model is asked. */
const SHARE = 0.95
/**
 * How long each answer may become, reasoning included, so that the balance covers all of them at once; the first would
 * otherwise take what the others need. Null if the balance covers all of them anyway, or is unknown. Less than
 * `USEFUL_ANSWER_TOKEN_COUNT` if it cannot cover useful answers from all.
 */
export function sharedTokenCount(
  models: readonly ChatModel[],
  priceOf: (model: ChatModel) => Nano | null,
  balanceUsd: number | null,
): number | null {
  if (balanceUsd === null || models.some(({ draws }) => draws)) return null
  const perTokenUsd = models.reduce((sum, { prices }) => sum + Number(prices.completion), 0)
  const readUsd = models.reduce((sum, model) => {
    const price = priceOf(model)
    const writtenUsd = Number(model.prices.completion) * EVERYDAY_ANSWER_TOKEN_COUNT
    return price === null ? sum : sum + Math.max(0, nanoToUsdNumber(price) - writtenUsd) * HELD_PER_ESTIMATED
  }, 0)
  const leftUsd = balanceUsd * SHARE - readUsd
  if (perTokenUsd === 0) return leftUsd >= 0 ? null : 0
  const tokenCount = Math.max(0, Math.floor(leftUsd / perTokenUsd))
  return tokenCount < DEFAULT_ANSWER_TOKEN_COUNT ? tokenCount : null
}
