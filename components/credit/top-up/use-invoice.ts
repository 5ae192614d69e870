'use client'

import { useEffect, useState } from 'react'
import useSWR from 'swr'
import { ApiCallError, callApiForJson, errorCodeOf } from '@/lib/http/client/call-api'
import { refreshBalance } from '../balance-store'
import { useCreditId } from '../use-credit-id'
import { type Invoice, parseInvoice } from './invoice'
import { pollIntervalMs } from './poll-interval'

interface InvoiceWatch {
  invoice: Invoice | null
  /** A key of the `errors` messages; the last known invoice stays. */
  errorCode: string | null
  payInSandbox: () => Promise<void>
}

/** Follows an invoice until it can tell no more; the balance is fetched anew when money was credited. */
export function useInvoice(invoiceId: string, created: Invoice | null): InvoiceWatch {
  const creditId = useCreditId()
  const [payError, setPayError] = useState<string | null>(null)
  const { data, error, mutate } = useSWR<Invoice, unknown, readonly ['invoice', string, string] | null>(
    creditId ? ['invoice', invoiceId, creditId] : null,
    ([, id, credential]) => fetchInvoice(id, credential),
    {
      fallbackData: created ?? undefined,
      refreshInterval: invoice => pollIntervalMs(invoice?.state),
      dedupingInterval: 0,
      revalidateOnFocus: true,
    },
  )
  const creditedUsd = data?.creditedUsd ?? 0
  useEffect(() => {
    if (creditedUsd > 0) void refreshBalance()
  }, [creditedUsd])

  const payInSandbox = async () => {
    setPayError(null)
    try {
      await callApiForJson({
        method: 'POST',
        path: `/topup/sandbox/${encodeURIComponent(invoiceId)}/pay`,
        body: {},
      })
      await mutate()
    } catch (thrown) {
      setPayError(errorCodeOf(thrown))
    }
  }
  // Without the credit that asked for it, an invoice in the address cannot be followed.
  const readError = creditId === null ? 'invalid_credential' : error === undefined ? null : errorCodeOf(error)
  return { invoice: data ?? null, errorCode: payError ?? readError, payInSandbox }
}

async function fetchInvoice(invoiceId: string, creditId: string): Promise<Invoice> {
  const path = `/topup/status/${encodeURIComponent(invoiceId)}`
  const invoice = parseInvoice(await callApiForJson({ method: 'GET', path, bearer: creditId }))
  if (!invoice) throw new ApiCallError('unknown')
  return invoice
}
