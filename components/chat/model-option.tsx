import { Brush, Check } from 'lucide'
import { useLocale, useTranslations } from 'next-intl'
import { Icon } from '@/components/ui/icon'
import { Money, useMoney } from '@/components/ui/money'
import { estimateEverydayMessage } from '@/lib/exchange/client/estimate-message'
import { estimatePicture } from '@/lib/exchange/client/picture-cost'
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
  const everyday = model.draws ? null : estimateEverydayMessage(model.prices)
  const picture = model.draws ? estimatePicture(model.prices) : null
  const { about } = useMoney()
  const perMillion = (usd: number | null) => (usd === null ? '–' : formatApproximateMoney(usd, locale))
  const pictureUsd = picture === null ? null : nanoToUsdNumber(picture)
  // How many tokens a picture comes to is known when it is drawn.
  const isPricedByToken = Number(model.prices.completion) > 0
  const priceOfPicture =
    pictureUsd !== null && (isPricedByToken ? `≈ ${about(pictureUsd)}` : about(pictureUsd))
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
        {isFree(model) ? (
          t('free')
        ) : priceOfPicture ? (
          <Money text={t('pricePerPicture', { price: priceOfPicture })} />
        ) : (
          <>
            <Money
              text={t('pricePerMillion', {
                input: perMillion(pricePerMillion(model.prices.prompt)),
                output: perMillion(pricePerMillion(model.prices.completion)),
              })}
            />
            {everyday !== null && (
              <Money
                className={styles.everyday}
                text={t('pricePerMessage', { price: about(nanoToUsdNumber(everyday)) })}
              />
            )}
          </>
        )}
      </span>
    </div>
  )
}
