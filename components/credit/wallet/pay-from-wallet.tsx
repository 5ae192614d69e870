'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Status } from '@/components/ui/status'
import text from '@/components/ui/text.module.css'
import type { InvoiceStatus } from '@/lib/api/contracts/invoices'
import { withLock } from '@/lib/local/storage/locks'
import type { WalletProblem } from '@/lib/payments/domain/wallet-top-ups'
import { paymentOutcome } from './payment-outcome'
import { readInvoice } from './top-ups'
import { UnlockWallet } from './unlock-wallet'
import { askOwnWallet, isWalletUnlocked } from './wallet'

interface PayFromWalletProps {
  invoice: InvoiceStatus
}

/**
 * Pays the invoice on the screen from the person's own wallet. The page notices the payment by polling. The invoice's
 * payment hash and the lock make sure that it is paid only once.
 */
export function PayFromWallet({ invoice }: PayFromWalletProps) {
  const t = useTranslations('credit.wallet')
  const [isUnlocking, setUnlocking] = useState(false)
  const [state, setState] = useState<'idle' | 'paying' | 'paid' | WalletProblem>('idle')
  const pay = async () => {
    if (!isWalletUnlocked()) {
      setUnlocking(true)
      return
    }
    setState('paying')
    setState(await payOnce(invoice))
  }
  const problem = state === 'idle' || state === 'paying' || state === 'paid' ? null : state
  const isAsked = state === 'paying' || state === 'paid' || state === 'no_answer'
  return (
    <>
      <Button
        loading={state === 'paying'}
        disabled={isAsked && state !== 'paying'}
        onClick={() => void pay()}
      >
        {t('pay')}
      </Button>
      <p role="alert" className={text.smallProblem} hidden={problem === null}>
        {problem && t(`problem.${problem}`)}
      </p>
      {state === 'paid' && <Status className={text.hint}>{t('paid')}</Status>}
      {isUnlocking && (
        <UnlockWallet
          onUnlocked={() => {
            setUnlocking(false)
            void pay()
          }}
          onClose={() => setUnlocking(false)}
        />
      )}
    </>
  )
}

async function payOnce(invoice: InvoiceStatus): Promise<'paid' | WalletProblem> {
  // The wallet must pay exactly what the screen says.
  const bolt11 = readInvoice(invoice)
  if (!bolt11) return 'wrong_invoice'
  return withLock(`tuppence-wallet-pay-${bolt11.paymentHash}`, async () => {
    const found = await askOwnWallet({ kind: 'look', paymentHash: bolt11.paymentHash })
    if (found?.kind === 'found' && found.state !== 'failed')
      return found.state === 'settled' ? 'paid' : 'no_answer'
    const reply = await askOwnWallet({ kind: 'pay', lightningInvoice: bolt11.lightningInvoice })
    const answer = paymentOutcome(reply ?? { kind: 'unreachable' })
    return answer.outcome === 'paid' ? 'paid' : answer.problem
  })
}
