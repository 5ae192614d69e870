import { CREDIT_RECORD_MISSING } from '@/components/credit/balance-error'
import { balanceSource } from '@/components/credit/balance-store'
import { parseCreditSecret } from '@/lib/local/credit-words'

export type FoundCredit =
  | { outcome: 'found'; creditId: string; balanceUsd: number }
  | { outcome: 'malformed' | 'unknown' | 'unreachable' }

/** The credit behind twelve words or a key, once the server knows it: a slip must not replace a good one. */
export async function findCredit(text: string): Promise<FoundCredit> {
  const creditId = await parseCreditSecret(text)
  if (creditId === null) return { outcome: 'malformed' }
  try {
    return { outcome: 'found', creditId, balanceUsd: await balanceSource.get(creditId) }
  } catch (thrown) {
    const isUnknown = thrown instanceof Error && thrown.message === CREDIT_RECORD_MISSING
    return { outcome: isUnknown ? 'unknown' : 'unreachable' }
  }
}
