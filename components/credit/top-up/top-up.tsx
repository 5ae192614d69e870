'use client'

import { useState } from 'react'
import type { Invoice } from './invoice'
import { InvoiceView } from './invoice-view'
import { showInvoiceInAddress } from './show-invoice-in-address'
import { TopUpForm } from './top-up-form'

interface TopUpProps {
  /** The invoice that the address names: after a reload, or back from a checkout. */
  invoiceId: string | null
  /** The page that the person came from. */
  returnHref: string
}

/** Choose an amount, pay the invoice, see the money arrive. */
export function TopUp({ invoiceId, returnHref }: TopUpProps) {
  const [watched, setWatched] = useState<{ id: string; created: Invoice | null } | null>(
    invoiceId === null ? null : { id: invoiceId, created: null },
  )

  const show = (invoice: Invoice | null) => {
    setWatched(invoice && { id: invoice.id, created: invoice })
    showInvoiceInAddress(invoice?.id ?? null)
  }

  return watched ? (
    <InvoiceView
      invoiceId={watched.id}
      created={watched.created}
      returnHref={returnHref}
      onStartOver={() => show(null)}
    />
  ) : (
    <TopUpForm onCreated={show} />
  )
}
