'use client'

import { useTranslations } from 'next-intl'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import useSWR from 'swr'
import { useRequest } from '@/components/account/use-request'
import { useErrorText } from '@/components/shell/use-error-text'
import { Button } from '@/components/ui/button'
import layout from '@/components/ui/layout.module.css'
import { Skeleton } from '@/components/ui/skeleton'
import text from '@/components/ui/text.module.css'
import {
  getTopUp,
  orderTopUp,
  payInSandbox,
  type TopUpOrder,
  type TopUpRoutes,
} from '@/lib/api/client/top-ups'
import type { InvoiceStatus } from '@/lib/api/contracts/invoices'
import { errorCodeOf } from '@/lib/http/client/call-api'
import { InvoicePayment } from './invoice-payment'
import { PaymentForm } from './payment-form'
import { pollIntervalMs } from './payment-rules'

/** Whose credit is paid into, and by which routes of the API. */
export interface Payee {
  /** What the routes are asked with; null when there is nothing, undefined until it is known. */
  credential: string | null | undefined
  routes: TopUpRoutes
  /** What an order is made with: the credential, made now where there was none. @throws ApiCallError */
  ensureCredential: () => Promise<string>
  onCredited?: () => void
}

interface PaymentFlowProps {
  payee: Payee
  /** The invoice that the address names: after a reload, or back from a checkout. */
  invoiceId: string | null
  note?: string
  /** What became of a payment, in words for who pays. */
  outcome: (invoice: InvoiceStatus) => ReactNode
  againLabel: string
}

interface Watched {
  id: string
  created: InvoiceStatus | null
}

/** Choose an amount, pay the invoice, see the money arrive. */
export function PaymentFlow({ invoiceId, payee, note, ...shown }: PaymentFlowProps) {
  const [watched, setWatched] = useState<Watched | null>(
    invoiceId === null ? null : { id: invoiceId, created: null },
  )
  const show = (invoice: InvoiceStatus | null) => {
    setWatched(invoice && { id: invoice.invoice_id, created: invoice })
    showInvoiceInAddress(invoice?.invoice_id ?? null)
  }
  return watched ? (
    <InvoiceView {...shown} {...watched} payee={payee} onStartOver={() => show(null)} />
  ) : (
    <PaymentForm note={note} onOrder={async order => show(await orderFor(payee, order))} />
  )
}

interface InvoiceViewProps extends Watched, Pick<PaymentFlowProps, 'payee' | 'outcome' | 'againLabel'> {
  onStartOver: () => void
}

/** An open invoice shows how to pay it, any other what became of it. */
function InvoiceView({ id, created, payee, outcome, againLabel, onStartOver }: InvoiceViewProps) {
  const t = useTranslations('topUp')
  const errorText = useErrorText()
  const { invoice, errorCode, sandbox } = useInvoice(payee, id, created)
  return (
    <div className={layout.looseStack}>
      {!invoice && !errorCode && <Skeleton length="long" />}
      {invoice?.status === 'New' && <InvoicePayment invoice={invoice} sandbox={sandbox} />}
      {invoice && outcome(invoice)}
      <p role="alert" className={text.problem}>
        {errorCode && errorText(errorCode)}
      </p>
      {invoice?.status !== 'Processing' && (
        <div>
          <Button variant="quiet" onClick={onStartOver}>
            {invoice?.status === 'Settled' ? againLabel : t('startOver')}
          </Button>
        </div>
      )}
    </div>
  )
}

type InvoiceKey = readonly ['invoice', invoiceId: string, credential: string]

/** Follows an invoice until it can tell no more; the last known one stays when asking fails. */
function useInvoice(payee: Payee, invoiceId: string, created: InvoiceStatus | null) {
  const { credential } = payee
  const paying = useRequest()
  const { data, error, mutate } = useSWR<InvoiceStatus, unknown, InvoiceKey | null>(
    credential ? ['invoice', invoiceId, credential] : null,
    ([, id, bearer]) => getTopUp(payee.routes, bearer, id),
    {
      fallbackData: created ?? undefined,
      refreshInterval: invoice => pollIntervalMs(invoice?.status),
      dedupingInterval: 0,
      // Money may come in during any outage: asked for as long as somebody waits.
      errorRetryCount: Number.POSITIVE_INFINITY,
    },
  )
  const creditedUsd = data?.credited_usd ?? 0
  const tellCredited = useEffectEvent(() => payee.onCredited?.())
  useEffect(() => {
    if (creditedUsd > 0) tellCredited()
  }, [creditedUsd])

  const pay = () =>
    paying.run(async () => {
      await payInSandbox(invoiceId)
      await mutate()
    })
  // Without the credential that asked for it, an invoice in the address cannot be followed.
  const readError =
    credential === null ? 'invalid_credential' : error === undefined ? null : errorCodeOf(error)
  return {
    invoice: data ?? null,
    errorCode: paying.errorCode ?? readError,
    sandbox: { busy: paying.busy, onPay: () => void pay() },
  }
}

async function orderFor({ routes, ensureCredential }: Payee, order: TopUpOrder): Promise<InvoiceStatus> {
  return orderTopUp(routes, await ensureCredential(), order)
}

/** A reload comes back to the invoice. Its id lets one pay it, never spend: it may stand in an address. */
function showInvoiceInAddress(invoiceId: string | null): void {
  const address = new URL(window.location.href)
  if (invoiceId === null) address.searchParams.delete('invoice')
  else address.searchParams.set('invoice', invoiceId)
  window.history.replaceState(window.history.state, '', address)
}
