import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { useMoney } from '@/components/ui/money'
import { useStore } from '@/components/ui/use-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { instructionsStore } from '@/lib/local/instructions'
import { maxContextStore } from '@/lib/local/max-context'
import { formatUsd } from '@/lib/money/nano'
import { isFree } from './chat-model'
import { AboutPrice, LazyExplainedPrice } from './price/about-price'
import type { TurnActions } from './turn-actions'
import styles from './turns.module.css'

interface EditedPriceProps {
  questionId: string
  /** The current text of the form. */
  text: string
  actions: TurnActions
}

/** The price of the edited question: the same estimate and the same promise as beside the message box. */
export function EditedPrice({ questionId, text, actions }: EditedPriceProps) {
  const t = useTranslations('chat')
  const compare = useTranslations('compare')
  const money = useMoney()
  const [isExplaining, setExplaining] = useState(false)
  // These determine what is sent along.
  useStore(selectedConversationStore)
  useStore(maxContextStore)
  useStore(instructionsStore)
  const { model } = actions
  const price = actions.priceEdited(questionId, text)
  if (!price || price.estimate === null) return null
  const { models, estimate, most, context, before } = price
  if (models.every(isFree)) return <div className={styles.editPrice}>{t('free')}</div>
  return (
    <div className={styles.editPrice}>
      <AboutPrice
        price={estimate}
        onExplain={most !== null && context !== null ? () => setExplaining(true) : null}
      />
      {models.length > 1 && <small>{compare('answers', { count: models.length })}</small>}
      {most !== null && most > 0n && (
        <small>
          {t('estimateMost', { price: money.about(formatUsd(most), 'ceil').replaceAll(' ', '\u00a0') })}
        </small>
      )}
      {isExplaining && context !== null && (
        <LazyExplainedPrice
          model={model}
          context={context}
          conversation={before}
          onClose={() => setExplaining(false)}
        />
      )}
    </div>
  )
}
