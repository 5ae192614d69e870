import { Brush, Check } from 'lucide'
import { useLocale, useTranslations } from 'next-intl'
import { Icon } from '@/components/ui/icon'
import { Money } from '@/components/ui/money'
import { formatApproximateMoney } from '@/lib/money/format-money'
import { type ChatModel, isFree, pricePerMillion } from './chat-model'
import styles from './model-picker.module.css'
import { ModelPrice } from './model-price'

interface ModelOptionProps {
  id: string
  model: ChatModel
  isChosen: boolean
  isActive: boolean
  /** About what it would cost here; null: what an everyday message does. */
  price: string | null
  onChoose: () => void
}

export function ModelOption({ id, model, isChosen, isActive, price, onChoose }: ModelOptionProps) {
  const t = useTranslations('chat')
  const locale = useLocale()
  const perMillion = (usd: number | null) => (usd === null ? '–' : formatApproximateMoney(usd, locale))
  return (
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      data-active={isActive || undefined}
      tabIndex={-1}
      className={styles.option}
      onClick={onChoose}
    >
      <span className={styles.name}>
        {model.name}
        {model.draws && (
          <span className={styles.draws}>
            <Icon icon={Brush} size={14} />
            {t('draws')}
          </span>
        )}
        {isChosen && <Icon icon={Check} size={16} />}
      </span>
      <span className={styles.prices}>
        {!model.draws && !isFree(model) && (
          <Money
            text={t('pricePerMillion', {
              input: perMillion(pricePerMillion(model.prices.prompt)),
              output: perMillion(pricePerMillion(model.prices.completion)),
            })}
          />
        )}
        {price === null || isFree(model) ? (
          <ModelPrice model={model} className={styles.everyday} />
        ) : (
          <Money text={`≈ ${price}`} className={styles.everyday} />
        )}
      </span>
    </div>
  )
}
