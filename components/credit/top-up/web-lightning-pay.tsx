'use client'

import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import styles from './invoice-payment.module.css'
import { findWebLightning, payWithWebLightning, type WebLightning } from './web-lightning'

/** Pays from the browser's own wallet; nothing where there is none. The page sees the payment by itself. */
export function WebLightningPay({ lightningInvoice }: { lightningInvoice: string }) {
  const t = useTranslations('topUp')
  const [wallet, setWallet] = useState<WebLightning | null>(null)
  const [state, setState] = useState<'idle' | 'paying' | 'refused'>('idle')

  // Only the browser knows; the server's page has no button to take back.
  useEffect(() => setWallet(findWebLightning(window)), [])

  if (!wallet) return null
  const pay = async () => {
    setState('paying')
    setState((await payWithWebLightning(wallet, lightningInvoice)) ? 'idle' : 'refused')
  }
  return (
    <>
      <Button loading={state === 'paying'} onClick={() => void pay()}>
        {t('payFromBrowser')}
      </Button>
      <p role="alert" className={styles.due}>
        {state === 'refused' && t('browserRefused')}
      </p>
    </>
  )
}
