'use client'

import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import useSWR, { useSWRConfig } from 'swr'
import { useRequest } from '@/components/request/use-request'
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
import { errorCodeOf, fetchErrorCode } from '@/lib/http/client/call-api'
import { createUuid } from '@/lib/local/uuid'
import { amountFromAddress } from '@/lib/money/typed-amount'
import { InvoicePayment } from './invoice-payment'
import styles from './payment-flow.module.css'
import { PaymentForm } from './payment-form'
import { pollIntervalMs, stillDue } from './payment-rules'

/** The credit that is paid into, and the API routes for it. */
export interface Payee {
  /** Authorises the requests. Null if there is none, undefined until that is known. */
  credential: string | null | undefined
  routes: TopUpRoutes
  /** Returns the credential to order with, creating one if there is none. @throws ApiCallError */
  ensureCredential: () => Promise<string>
  /** Returns another one in the place of one that the server refuses. @throws ApiCallError */
  replaceCredential?: (refused: string) => Promise<string>
  onCredited?: () => void
}

interface PaymentChoice {
  amount: string
  method: string
}

/** Where the progress of a payment is recorded. */
export interface PaymentPlace {
  readonly invoiceId: string | null
  readonly amountUsd: number | null
  readonly methodName: string | null
  readonly onInvoice: (invoiceId: string, choice: PaymentChoice) => void
  readonly onStartOver: (choice?: PaymentChoice) => void
}

interface PaymentFlowProps {
  payee: Payee
  /** The page's address by default. */
  place?: PaymentPlace
  note?: string
  /** Describes the outcome of a payment to the person who paid. */
  outcome: (invoice: InvoiceStatus) => ReactNode
  /** What to do about an invoice that this person cannot see. */
  unknown: ReactNode
  againLabel: string
}

/**
 * Choose an amount, pay the invoice, see the money arrive. Each view is an entry of the browser's history and its
 * address holds the whole state, so that it is the same after a reload, on going back, or on return from a checkout
 * elsewhere.
 */
export function PaymentFlow({ payee, place, note, ...shown }: PaymentFlowProps) {
  const inAddress = useAddress()
  const { invoiceId, amountUsd, methodName, onInvoice, onStartOver } = place ?? inAddress
  const { mutate } = useSWRConfig()
  const view = useFocusOnChange(invoiceId)

  const order = async (wanted: TopUpOrder) => {
    const credential = await payee.ensureCredential()
    try {
      await orderFor(credential, wanted)
    } catch (thrown) {
      if (!payee.replaceCredential || errorCodeOf(thrown) !== 'invalid_credential') throw thrown
      await orderFor(await payee.replaceCredential(credential), wanted)
    }
  }
  const orderFor = async (credential: string, wanted: TopUpOrder) => {
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

/**
 * Focus is lost with the view that had it. The next view's heading takes it, or its first button if it has none: of the
 * view itself, which has no name, a screen reader would say nothing.
 */
function useFocusOnChange(value: unknown) {
  const element = useRef<HTMLDivElement>(null)
  const seen = useRef(value)
  useEffect(() => {
    if (seen.current === value) return
    seen.current = value
    const first = element.current?.querySelector<HTMLElement>('h2, button')
    if (first) first.focus()
    else element.current?.focus()
  }, [value])
  return element
}

function choiceOf(amountUsd: number, methodName: string): PaymentChoice {
  return { amount: String(amountUsd), method: methodName }
}

/** With an invoice's id one can pay it but never spend, so it may be part of an address. */
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

/** An open invoice shows how to pay it, any other its outcome. */
function InvoiceView({ id, payee, outcome, unknown, againLabel, onStartOver }: InvoiceViewProps) {
  const t = useTranslations('topUp')
  const errorText = useErrorText()
  const { invoice, errorCode, sandbox } = useInvoice(payee, id)
  const restart = () => onStartOver(invoice ? choiceOf(invoice.amount_usd, invoice.method) : undefined)
  const status = invoice?.status
  const headingRef = useRef<HTMLHeadingElement>(null)
  // The pay button disappears with the payment; the outcome is announced, and scrolled into view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the buttons change with the status
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
          {/* What has arrived, in part or late, is enough to go on with: the way back is the main step then. */}
          <Button variant={isOver && invoice.credited_usd === 0 ? 'primary' : 'quiet'} onClick={restart}>
            {invoice?.status === 'Settled' ? againLabel : t(isOver ? 'renew' : 'startOver')}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Also the codes for somebody else's invoice, and for an unknown credit or refill link. */
const UNKNOWN_INVOICE: ReadonlySet<string> = new Set(['not_found', 'invalid_credential'])

type InvoiceKey = readonly ['invoice', invoiceId: string, credential: string]

/** Polls an invoice for as long as it is shown. If a request fails, the last known state stays. */
function useInvoice(payee: Payee, invoiceId: string) {
  const { credential } = payee
  const paying = useRequest()
  const { data, error, mutate } = useSWR<InvoiceStatus, unknown, InvoiceKey | null>(
    credential ? ['invoice', invoiceId, credential] : null,
    ([, id, bearer]) => getTopUp(payee.routes, bearer, id),
    {
      refreshInterval: invoice => pollIntervalMs(invoice?.status),
      dedupingInterval: 0,
      // Money may arrive during any outage, so polling goes on for as long as somebody waits.
      errorRetryCount: Number.POSITIVE_INFINITY,
      shouldRetryOnError: thrown => !UNKNOWN_INVOICE.has(errorCodeOf(thrown)),
    },
  )
  const isOver = useIsPast(data?.expires_at ?? null)
  const creditedUsd = data?.credited_usd ?? 0
  const onCredited = useEffectEvent(() => payee.onCredited?.())
  useEffect(() => {
    if (creditedUsd > 0) onCredited()
  }, [creditedUsd])

  const pay = () =>
    paying.run(async () => {
      const fraction = data ? stillDue(data).amountUsd / data.amount_usd : 1
      await payInSandbox(invoiceId, fraction, createUuid())
      await mutate()
    })
  // An invoice in the address cannot be followed without the credential that ordered it.
  const readError = credential === null ? 'invalid_credential' : fetchErrorCode(error)
  return {
    // The next poll would say so too, but nobody should pay meanwhile, or while the server cannot be reached.
    invoice: data?.status === 'New' && isOver ? { ...data, status: 'Expired' as const } : (data ?? null),
    // Whoever has paid waits for nothing.
    errorCode: paying.errorCode ?? (data?.status === 'Settled' ? null : readError),
    sandbox: { busy: paying.busy, onPay: () => void pay() },
  }
}

/** The longest delay that a browser's timer takes. */
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
