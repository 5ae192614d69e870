import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { Money, useMoney } from '@/components/ui/money'
import { estimateEverydayMessage } from '@/lib/exchange/client/outgoing'
import { type Nano, nanoToUsdNumber } from '@/lib/money/nano'
import { type ChatModel, isFree } from './chat-model'
import styles from './model-picker.module.css'
import { sumOf } from './use-next-message'

interface ModelPriceProps {
  model: ChatModel
  /** The price of the next message if known, so that the same screen never shows two different prices. */
  estimate?: Nano | null
  /** The models that it stands for, if a message goes to several: each of them is paid for. */
  compared?: readonly ChatModel[]
  className?: string
}

const NO_MODELS: readonly ChatModel[] = []

/**
 * The price of the next message, an everyday message or a picture with a model; nothing if the prices cannot be parsed.
 */
export function ModelPrice({ model, estimate = null, compared = NO_MODELS, className }: ModelPriceProps) {
  const t = useTranslations('chat')
  const { about } = useMoney()
  if (isFree(model)) return <span className={className}>{t('free')}</span>
  const isOne = compared.length === 0
  const nano =
    estimate ?? (isOne ? estimateEverydayMessage(model) : sumOf(compared.map(estimateEverydayMessage)))
  if (nano === null) return null
  const usd = nanoToUsdNumber(nano)
  const per = (words: ReactNode) => <span className={styles.per}>{words}</span>
  if (!model.draws || !isOne) {
    return <Money className={className} text={t.rich('pricePerMessage', { price: about(usd), per })} />
  }
  // The number of tokens in a picture is only known once it is drawn.
  const isPricedByToken = Number(model.prices.completion) > 0
  const price = isPricedByToken ? `≈ ${about(usd)}` : about(usd)
  return <Money className={className} text={t.rich('pricePerPicture', { price, per })} />
}
