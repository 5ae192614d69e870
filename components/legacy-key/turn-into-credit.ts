import { refreshBalance } from '@/components/credit/balance-store'
import { ensureCredit } from '@/components/credit/ensure-credit'
import { ApiCallError } from '@/lib/http/client/call-api'
import { mergeKey } from '@/lib/ledger/client/merge-credit'
import { virtualApiKeyStore } from '@/lib/local/virtual-api-key'
import { fetchKeyBalance } from './key-balance'

/**
 * Moves what the key holds into this browser's credit, made now when there is none, and forgets the key. One
 * that still has money afterwards (held for an answer under way) stays: trying again moves the rest.
 *
 * @throws ApiCallError forbidden for a key of a credit that somebody holds, conflict for one of this credit
 */
export async function turnIntoCredit(apiKey: string): Promise<void> {
  const creditId = await ensureCredit()
  await mergeKey({ apiKey, intoCreditId: creditId })
  await refreshBalance().catch(() => undefined)
  if ((await fetchKeyBalance(apiKey)) !== 0) throw new ApiCallError('credit_in_use')
  if (virtualApiKeyStore.getSnapshot() === apiKey) virtualApiKeyStore.remove()
}
