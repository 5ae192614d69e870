import { closeCredit } from '@/lib/api/client/accounts'
import { ApiCallError, errorCodeOf } from '@/lib/http/client/call-api'
import { creditIdStore } from '@/lib/local/credit-id'
import { creditReplacementStore } from '@/lib/local/credit-replacement'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { withLock } from '@/lib/local/storage/locks'
import { setAsideText } from '@/lib/local/storage/set-aside'
import { CREDIT_ID_KEY } from '@/lib/local/storage/storage-keys'
import { balanceSource, refreshBalance } from './balance-store'
import { createCredit } from './ensure-credit'

/** One for all steps, so that tabs neither make two new credits nor move into different ones. */
const LOCK = 'replace-credit'

/**
 * Makes the credit that takes the place of this browser's, and stores it. Nothing has moved then, and the old one is
 * still in use. @throws ApiCallError
 */
export function prepareReplacement(fromCreditId: string): Promise<void> {
  return withLock(LOCK, async () => {
    const last = creditReplacementStore.getSnapshot()
    // Another tab was faster, or money still has to follow.
    if (last?.state === 'moving' || (last?.state === 'prepared' && last.fromCreditId === fromCreditId)) return
    const intoCreditId = await createCredit()
    if (!creditReplacementStore.put({ fromCreditId, intoCreditId, state: 'prepared' }))
      throw new ApiCallError('storage_full')
  })
}

/** Keeps the old credit. The new one is empty, and is forgotten. */
export function dropReplacement(): Promise<void> {
  return withLock(LOCK, async () => {
    if (creditReplacementStore.getSnapshot()?.state === 'prepared') creditReplacementStore.remove()
  })
}

/**
 * Puts the prepared credit in the place of the old one, and moves the money after it. The new id is in use before
 * anything moves, and both are stored until all has moved: after a reload or a lost connection, `finishReplacement`
 * goes on. @throws ApiCallError
 */
export async function replaceCredit(): Promise<void> {
  await withLock(LOCK, async () => {
    const replacement = creditReplacementStore.getSnapshot()
    if (replacement?.state !== 'prepared') return
    // Another tab has put another credit in its place, about which nobody was asked.
    if (creditIdStore.getSnapshot() !== replacement.fromCreditId) throw new ApiCallError('conflict')
    if (!creditReplacementStore.put({ ...replacement, state: 'moving' }))
      throw new ApiCallError('storage_full')
  })
  await finishReplacement()
}

/**
 * Ends the old credit, and moves what is left on it. Does nothing if no replacement is under way.
 * @throws ApiCallError credit_in_use while a part is held for an answer in progress: to be called again later
 */
export async function finishReplacement(): Promise<void> {
  await withLock(LOCK, async () => {
    const replacement = creditReplacementStore.getSnapshot()
    if (replacement?.state !== 'moving') return
    const { fromCreditId, intoCreditId } = replacement
    const isOldHere = creditIdStore.getSnapshot() === fromCreditId
    if (isOldHere && !creditIdStore.write(intoCreditId)) throw new ApiCallError('storage_full')
    try {
      const { closed } = await closeCredit({ fromCreditId, intoCreditId })
      if (!closed) throw new ApiCallError('credit_in_use')
      creditReplacementStore.put({ fromCreditId, state: 'done' })
    } catch (thrown) {
      // The server does not know the old one, so nothing will ever move. Its id is not lost.
      const isUnknown = errorCodeOf(thrown) === 'not_found'
      if (!isUnknown || !setAsideText(guardedStorage, CREDIT_ID_KEY, fromCreditId)) throw thrown
      creditReplacementStore.put({ fromCreditId, state: 'done' })
    } finally {
      balanceSource.resetThrottle(fromCreditId)
      await refreshBalance().catch(() => undefined)
    }
  })
}
