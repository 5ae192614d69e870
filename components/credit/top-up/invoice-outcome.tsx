'use client'

import { CircleAlert, CircleCheck, Clock } from 'lucide'
import dynamic from 'next/dynamic'
import { useLocale, useTranslations } from 'next-intl'
import { Icon } from '@/components/ui/icon'
import { LinkButton } from '@/components/ui/link-button'
import { Link } from '@/lib/i18n/navigation'
import { formatMoney } from '@/lib/money/format-money'
import type { Invoice } from './invoice'
import styles from './invoice-outcome.module.css'
import { type OutcomeKey, outcomeKey } from './outcome-key'

/** Fetched when money has arrived, which is when there is something to keep. */
const CarryOffer = dynamic(async () => (await import('@/components/carry/carry-offer')).CarryOffer)

interface InvoiceOutcomeProps {
  invoice: Invoice
  returnHref: string
}

const ICONS = { good: CircleCheck, waiting: Clock, bad: CircleAlert } as const

const TONES: Readonly<Record<OutcomeKey, keyof typeof ICONS>> = {
  waiting: 'waiting',
  seen: 'waiting',
  credited: 'good',
  creditedLate: 'good',
  creditedOver: 'good',
  underReview: 'good',
  partial: 'waiting',
  partialExpired: 'bad',
  expired: 'bad',
  invalid: 'bad',
}

/** What is known of the payment, said in full and announced when it changes. */
export function InvoiceOutcome({ invoice, returnHref }: InvoiceOutcomeProps) {
  const t = useTranslations('topUp')
  const locale = useLocale()
  const key = outcomeKey(invoice)
  const tone = TONES[key]
  const amount = formatMoney(invoice.creditedUsd, locale)
  const rest = formatMoney(invoice.uncreditedUsd, locale)
  return (
    <div className={styles.outcome}>
      <div role="status" aria-label={t('status')} className={`${styles.status} ${styles[tone]}`}>
        <Icon icon={ICONS[tone]} size={24} className={styles.icon} />
        <div>
          <p className={styles.title}>{t(`outcome.${key}.title`, { amount })}</p>
          <p className={styles.text}>{t(`outcome.${key}.text`, { amount, rest })}</p>
        </div>
      </div>
      {tone === 'good' && <CarryOffer />}
      {tone === 'good' && (
        <div>
          <LinkButton component={Link} href={returnHref}>
            {t('backToChat')}
          </LinkButton>
        </div>
      )}
    </div>
  )
}
