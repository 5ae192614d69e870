import { Check } from 'lucide'
import { useLocale, useTranslations } from 'next-intl'
import { Icon } from '@/components/ui/icon'
import { Money } from '@/components/ui/money'
import { estimateEverydayMessage } from '@/lib/chat/domain/estimate-message'
import { formatApproximateMoney } from '@/lib/money/format-money'
import { nanoToUsdNumber } from '@/lib/money/nano'
import { type ChatModel, isFree, pricePerMillion } from './chat-model'
import styles from './model-picker.module.css'

interface ModelOptionProps {
  id: string
  model: ChatModel
  isChosen: boolean
  isActive: boolean
  onChoose: () => void
}

export function ModelOption({ id, model, isChosen, isActive, onChoose }: ModelOptionProps) {
  const t = useTranslations('chat')
  const locale = useLocale()
  const everyday = estimateEverydayMessage(model.prices)
  const money = (usd: number | null) => (usd === null ? '–' : formatApproximateMoney(usd, locale))
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
        {isChosen && <Icon icon={Check} size={16} />}
      </span>
      <span className={styles.prices}>
        {isFree(model) ? (
          t('free')
        ) : (
          <>
            <Money
              text={t('pricePerMillion', {
                input: money(pricePerMillion(model.prices.prompt)),
                output: money(pricePerMillion(model.prices.completion)),
              })}
            />
            {everyday !== null && (
              <Money
                className={styles.everyday}
                text={t('pricePerMessage', { price: money(nanoToUsdNumber(everyday)) })}
              />
            )}
          </>
        )}
      </span>
    </div>
  )
}
