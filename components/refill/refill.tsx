'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useEffect } from 'react'
import useSWR from 'swr'
import { RequestProblem } from '@/components/account/request-problem'
import { PaymentFlow } from '@/components/credit/top-up/payment-flow'
import { outcomeKey } from '@/components/credit/top-up/payment-rules'
import layout from '@/components/ui/layout.module.css'
import { Skeleton } from '@/components/ui/skeleton'
import { Status } from '@/components/ui/status'
import text from '@/components/ui/text.module.css'
import { useStore } from '@/components/ui/use-store'
import { fetchRefillPayee } from '@/lib/api/client/refill'
import type { InvoiceStatus } from '@/lib/api/contracts/invoices'
import type { RefillPayee } from '@/lib/api/contracts/refill'
import { errorCodeOf } from '@/lib/http/client/call-api'
import { REFILL_TOKEN_KEY } from '@/lib/local/storage/storage-keys'
import { formatMoney } from '@/lib/money/format-money'
import { tokenFromFragment } from '@/lib/payments/client/refill-address'
import styles from './refill.module.css'
import { RefillName } from './refill-name'

/** Pays into the credit that the link belongs to. */
export function Refill() {
  const t = useTranslations('refill')
  const token = useStore<string | null | undefined>(tokenStore)
  useEffect(() => {
    if (!token) return
    keepTokenForReturn(token)
    // Back from a checkout: whoever pays again from here pays into the same.
    if (window.location.hash === '') window.history.replaceState(null, '', `#${token}`)
  }, [token])
  if (token === undefined) return <Skeleton length="long" />
  if (token === null) return <NoLink>{t('broken')}</NoLink>
  return <RefillByLink key={token} token={token} />
}

type PayeeKey = readonly ['refill payee', token: string]

/** A link that was revoked says so before anything is asked. */
function RefillByLink({ token }: { token: string }) {
  const t = useTranslations('refill')
  const { data, error, mutate } = useSWR<RefillPayee | null, unknown, PayeeKey>(
    ['refill payee', token],
    ([, asked]) => fetchRefillPayee(asked),
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
      unknown={
        <Status aria-label={t('status')} className={text.text}>
          {t('unknown')}
        </Status>
      }
      againLabel={t('again')}
    />
  )
}

/** What became of a payment, in words for somebody who gives. */
function RefillOutcome({ invoice }: { invoice: InvoiceStatus }) {
  const t = useTranslations('refill')
  const locale = useLocale()
  const key = outcomeKey(invoice)
  const amount = formatMoney(key === 'refunded' ? invoice.refunded_usd : invoice.credited_usd, locale)
  const rest = formatMoney(invoice.uncredited_usd, locale)
  return (
    <Status aria-label={t('status')} className={styles.status}>
      {t(`outcome.${key}`, { amount, rest })}
    </Status>
  )
}

/** The token of the link that was opened; null for a broken one, undefined until the page is running. */
const tokenStore = {
  subscribe(listener: () => void): () => void {
    window.addEventListener('hashchange', listener)
    return () => window.removeEventListener('hashchange', listener)
  },
  getSnapshot: () => tokenFromFragment(window.location.hash || tokenOfWayBack()),
  getServerSnapshot: () => undefined,
}

function keepTokenForReturn(token: string): void {
  try {
    window.sessionStorage.setItem(REFILL_TOKEN_KEY, token)
  } catch {
    // Without storage the way back shows the link as broken; the payment arrives all the same.
  }
}

/** A checkout's way back names the invoice alone. What else lost its token would pay somebody else with this one. */
function tokenOfWayBack(): string {
  if (!new URLSearchParams(window.location.search).has('invoice')) return ''
  try {
    return window.sessionStorage.getItem(REFILL_TOKEN_KEY) ?? ''
  } catch {
    return ''
  }
}
