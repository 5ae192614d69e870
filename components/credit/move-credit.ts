import { mergeCredit } from '@/lib/api/client/accounts'
import { deleteRefillLink } from '@/lib/api/client/refill'
import { ApiCallError, errorCodeOf } from '@/lib/http/client/call-api'
import { creditIdStore } from '@/lib/local/credit-id'
import { creditReplacementStore, isFollowed } from '@/lib/local/credit-replacement'
import { balanceSource, refreshBalance } from './balance-store'
import { finishReplacement } from './replace-leaked-credit'

/**
 * Moves the balance of this browser's credit into another one, which then takes its place here. A credit that still has
 * money afterwards, held for an answer in progress, stays, so that it is not forgotten; trying again moves the rest.
 * Returns the dollars moved.
 *
 * @throws ApiCallError credit_in_use while a part is held for an answer in progress
 */
export async function moveCredit(fromCreditId: string, intoCreditId: string): Promise<number> {
  try {
    // It would arrive here later, when nobody looks at this one any more.
    if (isFollowed(creditReplacementStore.getSnapshot(), fromCreditId)) await finishReplacement()
    const { moved_usd: movedUsd } = await mergeCredit({ fromCreditId, intoCreditId })
    balanceSource.resetThrottle(fromCreditId)
    if ((await balanceSource.get(fromCreditId)) > 0) throw new ApiCallError('credit_in_use')
    await endRefillLink(fromCreditId)
    // Another tab may have replaced the credit meanwhile; then the current one is not the one that was emptied.
    if (creditIdStore.getSnapshot() !== fromCreditId) throw new ApiCallError('conflict')
    if (!creditIdStore.write(intoCreditId)) throw new ApiCallError('storage_full')
    return movedUsd
  } finally {
    await refreshBalance().catch(() => undefined)
  }
}

/** Payments through the old credit's refill link would arrive on a credit that nobody here looks at any more. */
async function endRefillLink(creditId: string): Promise<void> {
  try {
    await deleteRefillLink(creditId)
  } catch (thrown) {
    if (errorCodeOf(thrown) !== 'not_found') throw thrown
  }
}
