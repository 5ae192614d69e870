'use client'

import { useState } from 'react'
import useSWR from 'swr'
import { type Invoice, parseInvoice } from '@/components/credit/top-up/invoice'
import { pollIntervalMs } from '@/components/credit/top-up/poll-interval'
import { ApiCallError, callApi, errorCodeOf } from '@/lib/http/client/call-api'
import { getRefillInvoice } from '@/lib/payments/client/refill-invoices'

type Key = readonly ['refill invoice', token: string, invoiceId: string]

/** Follows an invoice that was made through a link until it can tell no more. */
export function useRefillInvoice(token: string, invoiceId: string, created: Invoice | null) {
  const [payError, setPayError] = useState<string | null>(null)
  const { data, error, mutate } = useSWR<Invoice, unknown, Key>(
    ['refill invoice', token, invoiceId],
    ([, bearer, id]) => fetchInvoice(bearer, id),
    {
      fallbackData: created ?? undefined,
      refreshInterval: invoice => pollIntervalMs(invoice?.state),
      dedupingInterval: 0,
    },
  )

  const payInSandbox = async () => {
    setPayError(null)
    try {
      const path = `/topup/sandbox/${encodeURIComponent(invoiceId)}/pay`
      await callApi({ method: 'POST', path, body: {} })
      await mutate()
    } catch (thrown) {
      setPayError(errorCodeOf(thrown))
    }
  }
  return {
    invoice: data ?? null,
    errorCode: payError ?? (error === undefined ? null : errorCodeOf(error)),
    payInSandbox,
  }
}

async function fetchInvoice(token: string, invoiceId: string): Promise<Invoice> {
  const invoice = parseInvoice(await getRefillInvoice(token, invoiceId))
  if (!invoice) throw new ApiCallError('unknown')
  return invoice
}
