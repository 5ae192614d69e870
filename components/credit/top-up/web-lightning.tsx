'use client'

import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import styles from './invoice-payment.module.css'

/** A browser's own Lightning wallet, as extensions offer it (WebLN): `window.webln`. */
interface WebLightning {
  enable(): Promise<unknown>
  sendPayment(lightningInvoice: string): Promise<unknown>
}

/** Null where the browser has none. It comes from an extension, so its shape is looked at, not believed. */
export function findWebLightning(browser: object): WebLightning | null {
  if (!('webln' in browser)) return null
  const { webln } = browser
  return isWebLightning(webln) ? webln : null
}

/** False when the wallet refused or failed; whether money came is for the gateway to say. */
async function payWithWebLightning(wallet: WebLightning, lightningInvoice: string): Promise<boolean> {
  try {
    await wallet.enable()
    await wallet.sendPayment(lightningInvoice)
    return true
  } catch {
    return false
  }
}

function isWebLightning(value: unknown): value is WebLightning {
  return (
    typeof value === 'object' &&
    value !== null &&
    'enable' in value &&
    typeof value.enable === 'function' &&
    'sendPayment' in value &&
    typeof value.sendPayment === 'function'
  )
}

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
