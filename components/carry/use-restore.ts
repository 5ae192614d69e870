'use client'

import { useState } from 'react'
import { CREDIT_RECORD_MISSING } from '@/components/credit/balance-error'
import { balanceSource, refreshBalance } from '@/components/credit/balance-store'
import { moveCredit } from '@/components/credit/move-credit'
import { creditIdStore } from '@/lib/local/credit-id'
import { parseCreditSecret } from '@/lib/local/credit-words'

type Found = Extract<FoundCredit, { outcome: 'found' }>

type RestoreProblem = 'malformed' | 'unknown' | 'unreachable' | 'storageFull'

type RestoreState =
  | { step: 'ask'; problem: RestoreProblem | null }
  | { step: 'searching' }
  /** Another credit is in this browser: its fate is the person's choice. */
  | RestoreDecision
  | { step: 'restored' | 'already' }

interface RestoreDecision {
  step: 'decide'
  found: Found
  heldCreditId: string
}

/** Takes a credit into this browser; over another one only after that was asked about. */
export function useRestore() {
  const [state, setState] = useState<RestoreState>({ step: 'ask', problem: null })

  const take = async (creditId: string) => {
    if (!creditIdStore.write(creditId)) return setState({ step: 'ask', problem: 'storageFull' })
    setState({ step: 'restored' })
    await refreshBalance()
  }

  /** @throws ApiCallError */
  const move = async ({ heldCreditId, found }: RestoreDecision) => {
    await moveCredit(heldCreditId, found.creditId)
    setState({ step: 'restored' })
  }

  const search = async (text: string) => {
    setState({ step: 'searching' })
    const found = await findCredit(text)
    if (found.outcome !== 'found') return setState({ step: 'ask', problem: found.outcome })
    const heldCreditId = creditIdStore.getSnapshot()
    if (heldCreditId?.toLowerCase() === found.creditId) return setState({ step: 'already' })
    if (heldCreditId !== null) return setState({ step: 'decide', found, heldCreditId })
    await take(found.creditId)
  }

  return {
    state,
    search,
    take,
    move,
    startOver: () => setState({ step: 'ask', problem: null }),
  }
}

type FoundCredit =
  | { outcome: 'found'; creditId: string; balanceUsd: number }
  | { outcome: 'malformed' | 'unknown' | 'unreachable' }

/** The credit behind twelve words or a key, once the server knows it: a slip must not replace a good one. */
async function findCredit(text: string): Promise<FoundCredit> {
  const creditId = await parseCreditSecret(text)
  if (creditId === null) return { outcome: 'malformed' }
  try {
    return { outcome: 'found', creditId, balanceUsd: await balanceSource.get(creditId) }
  } catch (thrown) {
    const isUnknown = thrown instanceof Error && thrown.message === CREDIT_RECORD_MISSING
    return { outcome: isUnknown ? 'unknown' : 'unreachable' }
  }
}
