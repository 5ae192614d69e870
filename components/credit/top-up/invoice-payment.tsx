'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { LinkButton } from '@/components/ui/link-button'
import { Money } from '@/components/ui/money'
import { Qr } from '@/components/ui/qr'
import { formatMoney } from '@/lib/money/format-money'
import type { Invoice } from './invoice'
import styles from './invoice-payment.module.css'
import { formatRemaining, paymentUri, qrText, satoshisDue } from './payment-rules'
import { WebLightningPay } from './web-lightning'

interface InvoicePaymentProps {
  invoice: Invoice
  /** The button that pays a sandbox's invoice. */
  sandbox: { busy: boolean; onPay: () => void }
}

export function InvoicePayment({ invoice, sandbox }: InvoicePaymentProps) {
  const t = useTranslations('topUp')
  const locale = useLocale()
  const uri = paymentUri(invoice)
  const satoshis = satoshisDue(invoice.bitcoinDue)
  return (
    <div className={styles.payment}>
      {uri && (
        <div className={styles.qr}>
          <Qr value={qrText(uri)} title={t('qr')} />
        </div>
      )}
      <div className={styles.steps}>
        <p className={styles.amount}>
          <Money text={formatMoney(invoice.amountUsd, locale)} />
          {satoshis !== null && <span className={styles.due}>{t('satoshis', { count: satoshis })}</span>}
        </p>
        <Countdown expiresAtSeconds={invoice.expiresAtSeconds} />
        <div className={styles.actions}>
          {invoice.sandbox && (
            <Button loading={sandbox.busy} onClick={sandbox.onPay}>
              {t('paySandbox')}
            </Button>
          )}
          {invoice.lightningInvoice && !invoice.sandbox && (
            <WebLightningPay lightningInvoice={invoice.lightningInvoice} />
          )}
          {uri && (
            <LinkButton href={uri} variant={invoice.sandbox ? 'quiet' : 'primary'}>
              {t('openWallet')}
            </LinkButton>
          )}
          {invoice.checkoutUrl && !uri && (
            <LinkButton href={invoice.checkoutUrl}>{t('openCheckout')}</LinkButton>
          )}
          {uri && (
            <CopyButton
              text={invoice.lightningInvoice ?? invoice.bitcoinAddress ?? uri}
              label={invoice.lightningInvoice ? t('copyInvoice') : t('copyAddress')}
            />
          )}
        </div>
      </div>
    </div>
  )
}

const TICK_MS = 1000

/** Time left to pay. Not a live region: a reader who asks hears it, nobody is told every second. */
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
  const remainingSeconds = Math.max(0, Math.ceil(expiresAtSeconds - nowMs / 1000))
  return (
    <p className={styles.countdown}>
      {remainingSeconds > 0 ? t('payWithin', { time: formatRemaining(remainingSeconds) }) : t('timeIsOver')}
    </p>
  )
}
