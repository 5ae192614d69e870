'use client'

import { useLocale, useTranslations } from 'next-intl'
import { RequestProblem } from '@/components/account/request-problem'
import type { Invoice } from '@/components/credit/top-up/invoice'
import { InvoicePayment } from '@/components/credit/top-up/invoice-payment'
import { outcomeKey } from '@/components/credit/top-up/outcome-key'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { formatMoney } from '@/lib/money/format-money'
import styles from './refill.module.css'
import { useRefillInvoice } from './use-refill-invoice'

interface RefillInvoiceProps {
  token: string
  invoiceId: string
  created: Invoice | null
  onStartOver: () => void
}

/** How to pay, then what became of it, in words for somebody who gives. */
export function RefillInvoice({ token, invoiceId, created, onStartOver }: RefillInvoiceProps) {
  const t = useTranslations('refill')
  const locale = useLocale()
  const { invoice, errorCode, payInSandbox } = useRefillInvoice(token, invoiceId, created)
  const amount = formatMoney(invoice?.creditedUsd ?? 0, locale)
  const rest = formatMoney(invoice?.uncreditedUsd ?? 0, locale)
  return (
    <div className={styles.stack}>
      {!invoice && errorCode === null && <Skeleton length="long" />}
      {invoice?.state === 'New' && <InvoicePayment invoice={invoice} onPayInSandbox={payInSandbox} />}
      <p role="status" aria-label={t('status')} className={styles.status}>
        {invoice && t(`outcome.${outcomeKey(invoice)}`, { amount, rest })}
      </p>
      <RequestProblem errorCode={errorCode} />
      {invoice?.state !== 'Processing' && (
        <div>
          <Button variant="quiet" onClick={onStartOver}>
            {invoice?.state === 'Settled' ? t('again') : t('startOver')}
          </Button>
        </div>
      )}
    </div>
  )
}
