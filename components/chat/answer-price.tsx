import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { lazyPart } from '@/components/ui/lazy-part'
import { Money, useMoney } from '@/components/ui/money'
import type { Message } from '@/lib/local/domain/conversation'
import { AnswerPace } from './answer-extras'
import styles from './message.module.css'

/** Its code and data are loaded when it is opened. */
const WhyThisCost = lazyPart(
  async () => (await import('@/components/usage/why-this-cost')).WhyThisCost,
  'with-error',
)

const ConversationCost = lazyPart(
  async () => (await import('@/components/usage/conversation-cost')).ConversationCost,
)

/** Whether the answer's receipt says that nothing was charged. */
export function isUncharged({ receipt }: Message): boolean {
  return receipt !== undefined && Number(receipt.cost_usd) === 0
}

/** Whether the answer failed or was stopped, and nothing was charged. */
export function wasForNothing(message: Message): boolean {
  const { status } = message
  return (status === 'failed' || status === 'stopped') && isUncharged(message)
}

/** The approximate price of the answer; opened, it shows the exact amount and the tokens. */
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
  // The receipt of a stopped answer has only the cost.
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
