'use client'

import { useState } from 'react'
import { refreshBalance } from '@/components/credit/balance-store'
import { creditIdStore } from '@/lib/local/credit-id'
import { type FoundCredit, findCredit } from './find-credit'

type Found = Extract<FoundCredit, { outcome: 'found' }>

export type RestoreProblem = 'malformed' | 'unknown' | 'unreachable' | 'storageFull'

export type RestoreState =
  | { step: 'ask'; problem: RestoreProblem | null }
  | { step: 'searching' }
  /** Another credit is in this browser: its fate is the person's choice. */
  | { step: 'decide'; found: Found; heldCreditId: string }
  | { step: 'restored' | 'already' }

/** Takes a credit into this browser; over another one only after that was asked about. */
export function useRestore() {
  const [state, setState] = useState<RestoreState>({ step: 'ask', problem: null })

  const take = async (creditId: string) => {
    if (!creditIdStore.write(creditId)) return setState({ step: 'ask', problem: 'storageFull' })
    setState({ step: 'restored' })
    await refreshBalance()
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

  return { state, search, take, startOver: () => setState({ step: 'ask', problem: null }) }
}
