'use client'

import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import type { ButtonVariant } from '@/components/ui/button-class'
import text from '@/components/ui/text.module.css'

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

/** The browser's own wallet, once the browser has been asked: the server's page has no button to take back. */
export function useWebLightning(): WebLightning | null {
  const [wallet, setWallet] = useState<WebLightning | null>(null)
  useEffect(() => setWallet(findWebLightning(window)), [])
  return wallet
}

interface WebLightningPayProps {
  wallet: WebLightning
  lightningInvoice: string
  variant?: ButtonVariant
}

/** Pays from the browser's own wallet. The page sees the payment by itself. */
export function WebLightningPay({ wallet, lightningInvoice, variant }: WebLightningPayProps) {
  const t = useTranslations('topUp')
  const [state, setState] = useState<'idle' | 'paying' | 'refused'>('idle')
  const pay = async () => {
    setState('paying')
    setState((await payWithWebLightning(wallet, lightningInvoice)) ? 'idle' : 'refused')
  }
  return (
    <>
      <Button variant={variant} loading={state === 'paying'} onClick={() => void pay()}>
        {t('payFromBrowser')}
      </Button>
      <p role="alert" className={text.smallProblem} hidden={state !== 'refused'}>
        {state === 'refused' && t('browserRefused')}
      </p>
    </>
  )
}
