'use client'

import { useTranslations } from 'next-intl'
import { useErrorText } from '@/components/shell/use-error-text'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import type { Invoice } from './invoice'
import { InvoiceOutcome } from './invoice-outcome'
import { InvoicePayment } from './invoice-payment'
import styles from './invoice-view.module.css'
import { useInvoice } from './use-invoice'

interface InvoiceViewProps {
  invoiceId: string
  created: Invoice | null
  returnHref: string
  onStartOver: () => void
}

/** An open invoice shows how to pay it, any other what became of it. */
export function InvoiceView({ invoiceId, created, returnHref, onStartOver }: InvoiceViewProps) {
  const t = useTranslations('topUp')
  const errorText = useErrorText()
  const { invoice, errorCode, payInSandbox } = useInvoice(invoiceId, created)
  return (
    <div className={styles.invoice}>
      {!invoice && !errorCode && <Skeleton length="long" />}
      {invoice?.state === 'New' && <InvoicePayment invoice={invoice} onPayInSandbox={payInSandbox} />}
      {invoice && <InvoiceOutcome invoice={invoice} returnHref={returnHref} />}
      <p role="alert" className={styles.error}>
        {errorCode && errorText(errorCode)}
      </p>
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
