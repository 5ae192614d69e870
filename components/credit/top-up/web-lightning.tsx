'use client'

import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import type { ButtonVariant } from '@/components/ui/button-class'
import text from '@/components/ui/text.module.css'
import { fieldsOf } from '@/lib/http/domain/is-object'

/** A Lightning wallet that a browser extension provides (WebLN) as `window.webln`. */
interface WebLightning {
  enable(): Promise<unknown>
  sendPayment(lightningInvoice: string): Promise<unknown>
}

/** Null if the browser has none. It comes from an extension, so its shape is checked. */
export function findWebLightning(browser: object): WebLightning | null {
  const { webln } = fieldsOf(browser)
  return isWebLightning(webln) ? webln : null
}

/** False if the wallet refused or failed. Whether the money arrived is for the gateway to say. */
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
  const { enable, sendPayment } = fieldsOf(value)
  return typeof enable === 'function' && typeof sendPayment === 'function'
}

/** The browser's wallet; null on the first render, so that it matches the server's. */
export function useWebLightning(): WebLightning | null {
  const [wallet, setWallet] = useState<WebLightning | null>(null)
  useEffect(() => setWallet(findWebLightning(window)), [])
  return wallet
}

interface WebLightningPayProps {
  wallet: WebLightning
  lightningInvoice: string
  variant: ButtonVariant
}

/** A button that pays from the browser's wallet. The page notices the payment by polling. */
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
