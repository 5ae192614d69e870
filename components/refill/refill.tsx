'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useEffect } from 'react'
import useSWR from 'swr'
import { PaymentFlow } from '@/components/credit/top-up/payment-flow'
import { PaymentNotice, TONES } from '@/components/credit/top-up/payment-notice'
import { outcomeKey } from '@/components/credit/top-up/payment-rules'
import { RequestProblem } from '@/components/request/request-problem'
import layout from '@/components/ui/layout.module.css'
import { Skeleton } from '@/components/ui/skeleton'
import text from '@/components/ui/text.module.css'
import { useStore } from '@/components/ui/use-store'
import { fetchRefillPayee } from '@/lib/api/client/refill'
import type { InvoiceStatus } from '@/lib/api/contracts/invoices'
import type { RefillPayee } from '@/lib/api/contracts/refill'
import { errorCodeOf } from '@/lib/http/client/call-api'
import { keepInTab, keptInTab } from '@/lib/local/storage/storage-area'
import { REFILL_TOKEN_KEY } from '@/lib/local/storage/storage-keys'
import { formatMoney } from '@/lib/money/format-money'
import { tokenFromFragment } from '@/lib/payments/client/refill-address'
import { RefillName } from './refill-name'

/** The page on which one pays into the credit of a refill link. */
export function Refill() {
  const t = useTranslations('refill')
  const token = useStore<string | null | undefined>(tokenStore)
  useEffect(() => {
    if (!token) return
    // Without storage the return shows the link as broken; the payment arrives all the same.
    keepInTab(REFILL_TOKEN_KEY, token)
    // On return from a checkout, so that a further payment goes to the same credit.
    if (window.location.hash === '') window.history.replaceState(null, '', `#${token}`)
  }, [token])
  if (token === undefined) return <Skeleton length="long" />
  if (token === null) return <NoLink>{t('broken')}</NoLink>
  return <RefillByLink key={token} token={token} />
}

type PayeeKey = readonly ['refill payee', token: string]

/** A revoked link says so before it asks for anything. */
function RefillByLink({ token }: { token: string }) {
  const t = useTranslations('refill')
  const { data, error, mutate } = useSWR<RefillPayee | null, unknown, PayeeKey>(
    ['refill payee', token],
    ([, linkToken]) => fetchRefillPayee(linkToken),
  )
  if (data === undefined) {
    return error === undefined ? (
      <Skeleton length="long" />
    ) : (
      <RequestProblem errorCode={errorCodeOf(error)} onRetry={() => void mutate()} />
    )
  }
  if (data === null) return <NoLink>{t('revoked')}</NoLink>
  return (
    <div className={layout.looseStack}>
      <RefillName label={t('namedBy')} name={data.name} />
      <RefillPayment token={token} />
    </div>
  )
}

function NoLink({ children }: { children: string }) {
  return (
    <p role="alert" className={text.text}>
      {children}
    </p>
  )
}

function RefillPayment({ token }: { token: string }) {
  const t = useTranslations('refill')
  return (
    <PaymentFlow
      payee={{
        credential: token,
        routes: '/topup/refill',
        ensureCredential: async () => token,
      }}
      outcome={invoice => <RefillOutcome invoice={invoice} />}
      unknown={<PaymentNotice tone="bad">{t('unknown')}</PaymentNotice>}
      againLabel={t('again')}
    />
  )
}

/** Describes the outcome of a payment to the person who gave it. */
function RefillOutcome({ invoice }: { invoice: InvoiceStatus }) {
  const t = useTranslations('refill')
  const locale = useLocale()
  const key = outcomeKey(invoice)
  const amount = formatMoney(key === 'refunded' ? invoice.refunded_usd : invoice.credited_usd, locale)
  const rest = formatMoney(invoice.uncredited_usd, locale)
  return <PaymentNotice tone={TONES[key]}>{t(`outcome.${key}`, { amount, rest })}</PaymentNotice>
}

/** The token of the opened link; null for a broken link, undefined until the page has hydrated. */
const tokenStore = {
  subscribe(listener: () => void): () => void {
    window.addEventListener('hashchange', listener)
    return () => window.removeEventListener('hashchange', listener)
  },
  getSnapshot: () => tokenFromFragment(window.location.hash || tokenOfWayBack()),
  getServerSnapshot: () => undefined,
}

/**
 * A return from a checkout has only the invoice in its address. Any other address without a token must not use the
 * stored one, or it would pay the wrong person.
 */
function tokenOfWayBack(): string {
  const isReturn = new URLSearchParams(window.location.search).has('invoice')
  return isReturn ? (keptInTab(REFILL_TOKEN_KEY) ?? '') : ''
}
