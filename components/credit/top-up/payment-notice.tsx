import { CircleAlert, CircleCheck, Clock } from 'lucide'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { Icon } from '@/components/ui/icon'
import { Status } from '@/components/ui/status'
import text from '@/components/ui/text.module.css'
import styles from './payment-notice.module.css'
import type { OutcomeKey } from './payment-rules'

const ICONS = { good: CircleCheck, waiting: Clock, bad: CircleAlert } as const

type Tone = keyof typeof ICONS

export const TONES: Readonly<Record<OutcomeKey, Tone>> = {
  waiting: 'waiting',
  seen: 'waiting',
  credited: 'good',
  creditedLate: 'good',
  creditedOver: 'good',
  underReview: 'good',
  partial: 'waiting',
  partialExpired: 'bad',
  refunded: 'bad',
  expired: 'bad',
  invalid: 'bad',
}

interface PaymentNoticeProps {
  tone: Tone
  title?: string
  children: ReactNode
}

/** What is known of a payment, announced when it changes. */
export function PaymentNotice({ tone, title, children }: PaymentNoticeProps) {
  const t = useTranslations('topUp')
  return (
    <Status as="div" aria-label={t('status')} className={`${styles.status} ${styles[tone]}`}>
      <Icon icon={ICONS[tone]} size={24} className={styles.icon} />
      <div>
        {title !== undefined && <p className={styles.title}>{title}</p>}
        <p className={text.muted}>{children}</p>
      </div>
    </Status>
  )
}
