'use client'

import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import useSWR, { useSWRConfig } from 'swr'
import { useRequest } from '@/components/account/use-request'
import { useErrorText } from '@/components/shell/use-error-text'
import { Button } from '@/components/ui/button'
import layout from '@/components/ui/layout.module.css'
import { Skeleton } from '@/components/ui/skeleton'
import text from '@/components/ui/text.module.css'
import { VisuallyHidden } from '@/components/ui/visually-hidden'
import {
  getTopUp,
  orderTopUp,
  payInSandbox,
  type TopUpOrder,
  type TopUpRoutes,
} from '@/lib/api/client/top-ups'
import type { InvoiceStatus } from '@/lib/api/contracts/invoices'
import { errorCodeOf } from '@/lib/http/client/call-api'
import { amountFromAddress } from './amount'
import { InvoicePayment } from './invoice-payment'
import styles from './payment-flow.module.css'
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

interface PaymentChoice {
  amount: string
  method: string
}

/** Where it is noted how far a payment has come. */
export interface PaymentPlace {
  readonly invoiceId: string | null
  readonly amountUsd: number | null
  readonly methodName: string | null
  readonly onInvoice: (invoiceId: string, choice: PaymentChoice) => void
  readonly onStartOver: (choice?: PaymentChoice) => void
}

interface PaymentFlowProps {
  payee: Payee
  /** The page's address, unless it is said. */
  place?: PaymentPlace
  note?: string
  /** What became of a payment, in words for who pays. */
  outcome: (invoice: InvoiceStatus) => ReactNode
  /** What to do about a payment that is not known to who asks. */
  unknown: ReactNode
  againLabel: string
}

/**
 * Choose an amount, pay the invoice, see the money arrive. Each view is an entry of the browser's history, and
 * its address says all of it: after a reload, a way back or from a checkout elsewhere it is the same.
 */
export function PaymentFlow({ payee, place, note, ...shown }: PaymentFlowProps) {
  const inAddress = useAddress()
  const { invoiceId, amountUsd, methodName, onInvoice, onStartOver } = place ?? inAddress
  const { mutate } = useSWRConfig()
  const view = useFocusOnChange(invoiceId)

  const order = async (wanted: TopUpOrder) => {
    const credential = await payee.ensureCredential()
    const invoice = await orderTopUp(payee.routes, credential, wanted)
    const key: InvoiceKey = ['invoice', invoice.invoice_id, credential]
    await mutate(key, invoice, { revalidate: false })
    onInvoice(invoice.invoice_id, choiceOf(wanted.amountUsd, wanted.methodName))
  }
  return (
    <div ref={view} tabIndex={-1} className={styles.view}>
      {invoiceId === null ? (
        <PaymentForm note={note} amountUsd={amountUsd} methodName={methodName} onOrder={order} />
      ) : (
        <InvoiceView {...shown} key={invoiceId} id={invoiceId} payee={payee} onStartOver={onStartOver} />
      )}
    </div>
  )
}

function useAddress(): PaymentPlace {
  const address = useSearchParams()
  return {
    invoiceId: address.get('invoice') || null,
    amountUsd: amountFromAddress(address.get('amount')),
    methodName: address.get('method'),
    onInvoice(invoiceId, choice) {
      window.history.replaceState(null, '', addressWith({ ...choice }))
      window.history.pushState(null, '', addressWith({ ...choice, invoice: invoiceId }))
    },
    onStartOver: choice => window.history.pushState(null, '', addressWith({ ...choice, invoice: null })),
  }
}

/** What had the focus goes with its view; the heading of the next one takes it, or that view itself. */
function useFocusOnChange(value: unknown) {
  const element = useRef<HTMLDivElement>(null)
  const seen = useRef(value)
  useEffect(() => {
    if (seen.current === value) return
    seen.current = value
    const heading = element.current?.querySelector('h2')
    if (heading) heading.focus()
    else element.current?.focus()
  }, [value])
  return element
}

function choiceOf(amountUsd: number, methodName: string): PaymentChoice {
  return { amount: String(amountUsd), method: methodName }
}

/** An invoice's id lets one pay it, never spend: it may stand in an address. */
function addressWith(changes: Readonly<Record<string, string | null>>): URL {
  const address = new URL(window.location.href)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) address.searchParams.delete(name)
    else address.searchParams.set(name, value)
  }
  return address
}

interface InvoiceViewProps extends Omit<PaymentFlowProps, 'note' | 'place'> {
  id: string
  onStartOver: PaymentPlace['onStartOver']
}

/** An open invoice shows how to pay it, any other what became of it. */
function InvoiceView({ id, payee, outcome, unknown, againLabel, onStartOver }: InvoiceViewProps) {
  const t = useTranslations('topUp')
  const errorText = useErrorText()
  const { invoice, errorCode, sandbox } = useInvoice(payee, id)
  const restart = () => onStartOver(invoice ? choiceOf(invoice.amount_usd, invoice.method) : undefined)
  const status = invoice?.status
  const headingRef = useRef<HTMLHeadingElement>(null)
  // The button that pays goes with what it paid; what became of it is announced, and stands where one looks.
  // biome-ignore lint/correctness/useExhaustiveDependencies: with the status the buttons change
  useEffect(() => {
    if (document.activeElement !== document.body) return
    headingRef.current?.focus({ preventScroll: true })
    headingRef.current?.scrollIntoView?.({ block: 'nearest' })
  }, [status])
  const heading = (
    <VisuallyHidden as="h2" ref={headingRef} tabIndex={-1}>
      {t('payment')}
    </VisuallyHidden>
  )
  if (!invoice && errorCode !== null && UNKNOWN_INVOICE.has(errorCode)) {
    return (
      <div className={layout.looseStack}>
        {heading}
        {unknown}
        <div>
          <Button variant="quiet" onClick={restart}>
            {t('startOver')}
          </Button>
        </div>
      </div>
    )
  }
  const isOver = invoice?.status === 'Expired'
  return (
    <div className={layout.looseStack}>
      {heading}
      {!invoice && !errorCode && <Skeleton length="long" />}
      {invoice?.status === 'New' && <InvoicePayment invoice={invoice} sandbox={sandbox} />}
      {invoice && outcome(invoice)}
      <p role="alert" className={text.problem}>
        {errorCode && errorText(errorCode)}
      </p>
      {invoice?.status !== 'Processing' && (
        <div>
          <Button variant={isOver ? 'primary' : 'quiet'} onClick={restart}>
            {invoice?.status === 'Settled' ? againLabel : t(isOver ? 'renew' : 'startOver')}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Also somebody else's, and one of a credit or link that is not known itself. */
const UNKNOWN_INVOICE: ReadonlySet<string> = new Set(['not_found', 'invalid_credential'])

type InvoiceKey = readonly ['invoice', invoiceId: string, credential: string]

/** Follows an invoice until it can tell no more; the last known one stays when asking fails. */
function useInvoice(payee: Payee, invoiceId: string) {
  const { credential } = payee
  const paying = useRequest()
  const { data, error, mutate } = useSWR<InvoiceStatus, unknown, InvoiceKey | null>(
    credential ? ['invoice', invoiceId, credential] : null,
    ([, id, bearer]) => getTopUp(payee.routes, bearer, id),
    {
      refreshInterval: invoice => pollIntervalMs(invoice?.status),
      dedupingInterval: 0,
      // Money may come in during any outage: asked for as long as somebody waits.
      errorRetryCount: Number.POSITIVE_INFINITY,
      shouldRetryOnError: thrown => !UNKNOWN_INVOICE.has(errorCodeOf(thrown)),
    },
  )
  const isOver = useIsPast(data?.expires_at ?? null)
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
    // The server says so too, at the next look; nobody shall pay meanwhile, or while it cannot be asked.
    invoice: data?.status === 'New' && isOver ? { ...data, status: 'Expired' as const } : (data ?? null),
    errorCode: paying.errorCode ?? readError,
    sandbox: { busy: paying.busy, onPay: () => void pay() },
  }
}

/** Longer than this a browser's timer does not wait. */
const TIMER_MS_MAX = 2 ** 31 - 1

function useIsPast(timeSeconds: number | null): boolean {
  const [pastSeconds, setPastSeconds] = useState<number | null>(null)
  useEffect(() => {
    if (timeSeconds === null) return
    const timer = setTimeout(
      () => setPastSeconds(timeSeconds),
      Math.min(Math.max(0, timeSeconds * 1000 - Date.now()), TIMER_MS_MAX),
    )
    return () => clearTimeout(timer)
  }, [timeSeconds])
  return timeSeconds !== null && pastSeconds === timeSeconds
}
