import { X } from 'lucide'
import { useTranslations } from 'next-intl'
import { focusAfterRender, focusOtherItem } from '@/components/ui/focus'
import { Icon } from '@/components/ui/icon'
import type { Nano } from '@/lib/money/nano'
import type { ChatModel } from '../chat-model'
import { PriceWith } from '../price/price-with'
import styles from './compare.module.css'

export interface ModelChipsProps {
  models: readonly ChatModel[]
  priceOf: (model: ChatModel) => Nano | null
  onRemove: (modelId: string) => void
}

/** The models that will answer side by side, with the price of each. */
export function ModelChips({ models, priceOf, onRemove }: ModelChipsProps) {
  const t = useTranslations('compare')
  return (
    <ul className={styles.chips} aria-label={t('comparing')}>
      {models.map(model => (
        <li key={model.id} className={styles.chip}>
          <span className={styles.chipName}>{model.name}</span>
          <PriceWith model={model} price={priceOf(model)} />
          <button
            type="button"
            className={styles.chipRemove}
            aria-label={t('remove', { model: model.name })}
            title={t('remove', { model: model.name })}
            onClick={event => {
              if (!focusOtherItem(event.currentTarget)) focusAfterRender('dialog[open] h2')
              onRemove(model.id)
            }}
          >
            <Icon icon={X} size={14} />
          </button>
        </li>
      ))}
    </ul>
  )
}
