'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { LinkButton } from '@/components/ui/link-button'
import { Money } from '@/components/ui/money'
import { Qr } from '@/components/ui/qr'
import { formatMoney } from '@/lib/money/format-money'
import { Countdown } from './countdown'
import type { Invoice } from './invoice'
import styles from './invoice-payment.module.css'
import { paymentUri, qrText } from './payment-uri'
import { satoshisDue } from './satoshis-due'
import { WebLightningPay } from './web-lightning-pay'

interface InvoicePaymentProps {
  invoice: Invoice
  onPayInSandbox: () => Promise<void>
}

export function InvoicePayment({ invoice, onPayInSandbox }: InvoicePaymentProps) {
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
          {invoice.sandbox && <SandboxPay onPay={onPayInSandbox} />}
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

function SandboxPay({ onPay }: { onPay: () => Promise<void> }) {
  const t = useTranslations('topUp')
  const [paying, setPaying] = useState(false)
  const pay = async () => {
    setPaying(true)
    await onPay()
    setPaying(false)
  }
  return (
    <Button loading={paying} onClick={() => void pay()}>
      {t('paySandbox')}
    </Button>
  )
}
