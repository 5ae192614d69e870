import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { Money, useMoney } from '@/components/ui/money'
import { estimateEverydayMessage } from '@/lib/exchange/client/outgoing'
import { estimatePicture } from '@/lib/exchange/client/picture-cost'
import { type Nano, nanoToUsdNumber } from '@/lib/money/nano'
import { type ChatModel, isFree } from './chat-model'
import styles from './model-picker.module.css'

interface ModelPriceProps {
  model: ChatModel
  /** What the next message costs, where that is known: one screen tells one price. */
  estimate?: Nano | null
  className?: string
}

/** What the next message, an everyday one or a picture costs with a model; nothing where its prices are not understood. */
export function ModelPrice({ model, estimate = null, className }: ModelPriceProps) {
  const t = useTranslations('chat')
  const { about } = useMoney()
  if (isFree(model)) return <span className={className}>{t('free')}</span>
  const nano = estimate ?? (model.draws ? estimatePicture(model.prices) : estimateEverydayMessage(model))
  if (nano === null) return null
  const usd = nanoToUsdNumber(nano)
  const per = (words: ReactNode) => <span className={styles.per}>{words}</span>
  if (!model.draws) {
    return <Money className={className} text={t.rich('pricePerMessage', { price: about(usd), per })} />
  }
  // How many tokens a picture comes to is known when it is drawn.
  const isPricedByToken = Number(model.prices.completion) > 0
  const price = isPricedByToken ? `≈ ${about(usd)}` : about(usd)
  return <Money className={className} text={t.rich('pricePerPicture', { price, per })} />
}
