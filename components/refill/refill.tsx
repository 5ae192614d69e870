'use client'

import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import type { Invoice } from '@/components/credit/top-up/invoice'
import { showInvoiceInAddress } from '@/components/credit/top-up/show-invoice-in-address'
import { Skeleton } from '@/components/ui/skeleton'
import styles from './refill.module.css'
import { RefillForm } from './refill-form'
import { RefillInvoice } from './refill-invoice'
import { keepTokenForReturn, useRefillToken } from './use-refill-token'

interface RefillProps {
  /** The invoice that the address names: after a reload, or back from a checkout. */
  invoiceId: string | null
}

/** Pays into the credit that the link belongs to. */
export function Refill({ invoiceId }: RefillProps) {
  const t = useTranslations('refill')
  const token = useRefillToken()
  const [watched, setWatched] = useState<{ id: string; created: Invoice | null } | null>(
    invoiceId === null ? null : { id: invoiceId, created: null },
  )
  useEffect(() => {
    if (token) keepTokenForReturn(token)
  }, [token])

  const show = (invoice: Invoice | null) => {
    setWatched(invoice && { id: invoice.id, created: invoice })
    showInvoiceInAddress(invoice?.id ?? null)
  }
  if (token === undefined) return <Skeleton length="long" />
  if (token === null) {
    return (
      <p role="alert" className={styles.text}>
        {t('broken')}
      </p>
    )
  }
  return watched ? (
    <RefillInvoice
      token={token}
      invoiceId={watched.id}
      created={watched.created}
      onStartOver={() => show(null)}
    />
  ) : (
    <RefillForm token={token} onCreated={show} />
  )
}
