'use client'

import { useState } from 'react'
import { UnknownCreditError } from '@/components/credit/balance-error'
import { balanceSource, refreshBalance } from '@/components/credit/balance-store'
import { moveCredit } from '@/components/credit/move-credit'
import { useCreditId } from '@/components/credit/use-credit-id'
import { creditIdStore } from '@/lib/local/credit-id'
import { type CreditSecret, parseCreditSecret } from '@/lib/local/credit-words'
import { isKept } from '@/lib/local/storage/write-failures'

type NotFound = Exclude<CreditSecret, { creditId: string }> | { problem: 'unknown' | 'unreachable' }

interface Found {
  creditId: string
  balanceUsd: number
}

export type RestoreProblem = NotFound | { problem: 'storageFull' }

type RestoreState =
  | { step: 'ask'; problem: RestoreProblem | null }
  | { step: 'searching' }
  /** This browser already holds another credit, and the person decides what becomes of it. */
  | RestoreDecision
  | { step: 'restored' | 'already' }

interface RestoreDecision {
  step: 'decide'
  found: Found
  heldCreditId: string
}

/** Takes a credit into this browser. Asks before it replaces another one. */
export function useRestore() {
  const [state, setState] = useState<RestoreState>({ step: 'ask', problem: null })
  const inBrowser = useCreditId()

  const replace = ({ heldCreditId, found }: RestoreDecision) => {
    const current = creditIdStore.getSnapshot()
    // Another tab has put one in its place that nobody was asked about, and whose words may not be kept.
    if (current !== null && current !== heldCreditId)
      return setState({ step: 'decide', found, heldCreditId: current })
    setState(takeInto(found.creditId))
    void refreshBalance()
  }

  /** @throws ApiCallError */
  const move = async ({ heldCreditId, found }: RestoreDecision) => {
    await moveCredit(heldCreditId, found.creditId)
    setState({ step: 'restored' })
  }

  const search = async (text: string): Promise<RestoreState> => {
    setState({ step: 'searching' })
    const next = await searchFor(text)
    setState(next)
    if (next.step === 'restored') void refreshBalance()
    return next
  }

  // Another tab may have taken in the same credit while the person was deciding here.
  const isTaken = state.step === 'decide' && state.found.creditId === inBrowser
  return {
    state: isTaken ? ({ step: 'restored' } as const) : state,
    search,
    replace,
    move,
    startOver: () => setState({ step: 'ask', problem: null }),
    failToLoad: () => setState({ step: 'ask', problem: { problem: 'unreachable' } }),
  }
}

async function searchFor(text: string): Promise<RestoreState> {
  const found = await findCredit(text)
  if ('problem' in found) return { step: 'ask', problem: found }
  const heldCreditId = creditIdStore.getSnapshot()
  if (heldCreditId?.toLowerCase() === found.creditId) return { step: 'already' }
  return heldCreditId === null ? takeInto(found.creditId) : { step: 'decide', found, heldCreditId }
}

function takeInto(creditId: string): RestoreState {
  let isFull = false
  const isTaken = isKept(() => {
    isFull = !creditIdStore.write(creditId)
    return !isFull
  })
  if (isTaken) return { step: 'restored' }
  // If the browser refuses every write, the page says so for all of them.
  return { step: 'ask', problem: isFull ? { problem: 'storageFull' } : null }
}

/** The credit behind twelve words or a key, confirmed by the server: a typing error must not replace a good credit. */
async function findCredit(text: string): Promise<Found | NotFound> {
  try {
    const secret = await parseCreditSecret(text)
    if ('problem' in secret) return secret
    return { ...secret, balanceUsd: await balanceSource.get(secret.creditId) }
  } catch (thrown) {
    return { problem: thrown instanceof UnknownCreditError ? 'unknown' : 'unreachable' }
  }
}
