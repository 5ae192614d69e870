import dynamic from 'next/dynamic'
import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import { Money } from '@/components/ui/money'
import type { Message } from '@/lib/local/domain/conversation'
import { formatMoney } from '@/lib/money/format-money'
import styles from './message.module.css'

/** Its code and its figures are fetched when somebody asks. */
const WhyThisCost = dynamic(async () => (await import('@/components/usage/why-this-cost')).WhyThisCost)

/** What the answer cost, to the last digit; a click tells for how much. */
export function AnswerPrice({ message }: { message: Message }) {
  const t = useTranslations('chat')
  const locale = useLocale()
  const [open, setOpen] = useState(false)
  const { receipt, status } = message
  if (!receipt) return null
  const price = formatMoney(receipt.cost_usd, locale)
  if (status === 'failed' && Number(receipt.cost_usd) === 0) {
    return <Money className={styles.price} text={t('notCharged', { price })} />
  }
  return (
    <details className={styles.price} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary title={t('whyThisCost')}>
        <Money text={price} />
      </summary>
      <p className={styles.breakdown}>
        {receipt.image_count === undefined
          ? t('tokenCounts', { input: receipt.input_token_count, output: receipt.output_token_count })
          : t('pictureCount', { count: receipt.image_count })}
        {receipt.estimated && <> {t('countEstimated')}</>}
      </p>
      {open && message.exchange_id && <WhyThisCost exchangeId={message.exchange_id} />}
    </details>
  )
}
