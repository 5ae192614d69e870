import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { lazyPart } from '@/components/ui/lazy-part'
import { Money, useMoney } from '@/components/ui/money'
import type { Message } from '@/lib/local/domain/conversation'
import { AnswerPace } from './answer-extras'
import styles from './message.module.css'

/** Its code and its figures are fetched when somebody asks. */
const WhyThisCost = lazyPart(
  async () => (await import('@/components/usage/why-this-cost')).WhyThisCost,
  'with-error',
)

const ConversationCost = lazyPart(
  async () => (await import('@/components/usage/conversation-cost')).ConversationCost,
)

/** Nothing was charged, as far as the answer says. */
export function isUncharged({ receipt }: Message): boolean {
  return receipt !== undefined && Number(receipt.cost_usd) === 0
}

/** It came to nothing, or not to its end, and nothing was charged for it. */
export function wasForNothing(message: Message): boolean {
  const { status } = message
  return (status === 'failed' || status === 'stopped') && isUncharged(message)
}

/** About what the answer cost; a click tells it to the last digit, and for how much. */
export function AnswerPrice({ message, parts = [] }: { message: Message; parts?: readonly Message[] }) {
  const t = useTranslations('chat')
  const money = useMoney()
  const [open, setOpen] = useState(false)
  const { receipt } = message
  if (!receipt) return null
  const price = money.about(receipt.cost_usd)
  const exact = money.exact(receipt.cost_usd)
  if (wasForNothing(message)) {
    return <Money className={styles.price} text={t('notCharged', { price: exact })} />
  }
  const { input_token_count: input, output_token_count: output } = receipt
  // What answers a stop tells the cost alone.
  const isCounted = input + output > 0 || isUncharged(message)
  return (
    <details className={styles.price} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary title={`${exact} – ${t('whyThisCost')}`}>
        <Money text={message.speech_receipt ? t('answerFor', { price }) : price} />
      </summary>
      <p className={styles.breakdown}>
        {t('exactly', { price: exact })}{' '}
        {receipt.image_count !== undefined
          ? t('pictureCount', { count: receipt.image_count })
          : isCounted && t('tokenCounts', { input, output })}
        {receipt.estimated && <> {t('countEstimated')}</>} <AnswerPace {...message} />
      </p>
      {open &&
        (parts.length > 0 ? parts : [message]).map(
          ({ exchange_id: id }) => id && <WhyThisCost key={id} exchangeId={id} />,
        )}
      {open && <ConversationCost />}
    </details>
  )
}
