import { creditIdStore, isCreditId } from '@/lib/local/credit-id'
import { CREDIT_RECORD_MISSING } from './balance-error'
import { balanceSource, refreshBalance } from './balance-store'

export type RestoreOutcome = 'restored' | 'malformed' | 'unknown' | 'unreachable' | 'storage_full'

/**
 * Takes a credit into this browser once the server knows it: a mistyped key must not replace the one
 * that is here.
 */
export async function restoreCredit(text: string): Promise<RestoreOutcome> {
  const creditId = text.trim().toLowerCase()
  if (!isCreditId(creditId)) return 'malformed'
  try {
    await balanceSource.get(creditId)
  } catch (thrown) {
    return thrown instanceof Error && thrown.message === CREDIT_RECORD_MISSING ? 'unknown' : 'unreachable'
  }
  if (!creditIdStore.write(creditId)) return 'storage_full'
  await refreshBalance()
  return 'restored'
}
