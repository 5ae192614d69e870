'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { formatDuration } from '@/components/ui/format-duration'
import { lazyPart } from '@/components/ui/lazy-part'
import { LinkButton } from '@/components/ui/link-button'
import { Money } from '@/components/ui/money'
import { Qr } from '@/components/ui/qr'
import { useStore } from '@/components/ui/use-store'
import type { InvoiceStatus } from '@/lib/api/contracts/invoices'
import { walletConnectionStore } from '@/lib/local/wallet/wallet-stores'
import { formatMoney } from '@/lib/money/format-money'
import styles from './invoice-payment.module.css'
import { paymentUri, qrText, satoshisDue, stillDue } from './payment-rules'
import { useWebLightning, WebLightningPay } from './web-lightning'

/** For people who have connected a wallet. */
const PayFromWallet = lazyPart(async () => (await import('../wallet/pay-from-wallet')).PayFromWallet)

interface InvoicePaymentProps {
  /** An invoice that can still be paid. */
  invoice: InvoiceStatus
  /** The button that pays an invoice of the sandbox. */
  sandbox: { busy: boolean; onPay: () => void }
}

export function InvoicePayment({ invoice, sandbox }: InvoicePaymentProps) {
  const t = useTranslations('topUp')
  const locale = useLocale()
  const due = stillDue(invoice)
  const hasWallet = useStore(walletConnectionStore) !== null
  const foundWallet = useWebLightning()
  const browserWallet = invoice.sandbox || !invoice.lightning_invoice ? null : foundWallet
  const uri = paymentUri({ ...invoice, crypto_amount_due: due.bitcoinDue })
  const satoshis = satoshisDue(due.bitcoinDue)
  return (
    <div className={styles.payment}>
      {uri && (
        <div className={styles.qr}>
          <Qr value={qrText(uri)} title={t('qr')} />
        </div>
      )}
      <div className={styles.steps}>
        <p className={styles.amount}>
          <Money text={formatMoney(due.amountUsd, locale)} />
          {satoshis !== null && <span className={styles.due}>{t('satoshis', { count: satoshis })}</span>}
        </p>
        <Countdown expiresAtSeconds={invoice.expires_at} />
        <div className={styles.actions}>
          {invoice.sandbox && (
            <Button loading={sandbox.busy} onClick={sandbox.onPay}>
              {t('paySandbox')}
            </Button>
          )}
          {browserWallet && invoice.lightning_invoice && (
            <WebLightningPay
              wallet={browserWallet}
              lightningInvoice={invoice.lightning_invoice}
              variant={hasWallet ? 'quiet' : 'primary'}
            />
          )}
          {hasWallet && invoice.lightning_invoice && <PayFromWallet invoice={invoice} />}
          {uri && (
            <LinkButton
              href={uri}
              variant={invoice.sandbox || hasWallet || browserWallet ? 'quiet' : 'primary'}
            >
              {t('openWallet')}
            </LinkButton>
          )}
          {invoice.checkout_url && !uri && (
            <LinkButton href={invoice.checkout_url}>{t('openCheckout')}</LinkButton>
          )}
          {uri && (
            <CopyButton
              text={invoice.lightning_invoice ?? invoice.address ?? uri}
              label={invoice.lightning_invoice ? t('copyInvoice') : t('copyAddress')}
            />
          )}
        </div>
      </div>
    </div>
  )
}

const TICK_MS = 1000

/** The time left to pay. Not a live region: screen readers can find it, but are not interrupted every second. */
function Countdown({ expiresAtSeconds }: { expiresAtSeconds: number }) {
  const t = useTranslations('topUp')
  const [nowMs, setNowMs] = useState<number | null>(null)
  useEffect(() => {
    const tick = () => setNowMs(Date.now())
    tick()
    const timer = setInterval(tick, TICK_MS)
    return () => clearInterval(timer)
  }, [])
  if (nowMs === null) return <p className={styles.countdown}>&nbsp;</p>
  const remainingSeconds = Math.max(0, Math.floor(expiresAtSeconds - nowMs / 1000))
  return <p className={styles.countdown}>{t('payWithin', { time: formatDuration(remainingSeconds) })}</p>
}
