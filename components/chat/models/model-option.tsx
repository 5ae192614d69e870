import { Brush, Check, Hourglass } from 'lucide'
import { useLocale, useTranslations } from 'next-intl'
import { memo } from 'react'
import { dateFormat } from '@/components/ui/date-format'
import { Icon } from '@/components/ui/icon'
import { Money, useMoney } from '@/components/ui/money'
import { VisuallyHidden } from '@/components/ui/visually-hidden'
import { type ShortAnswer, wordsOfTokens } from '@/lib/exchange/client/outgoing'
import { formatApproximateMoney } from '@/lib/money/format-money'
import { formatUsd, type Nano } from '@/lib/money/nano'
import { type ChatModel, isFree, pricePerMillion } from '../chat-model'
import { ModelPrice } from '../model-price'
import { factsOf } from './model-facts'
import styles from './models.module.css'

interface ModelOptionProps {
  id: string
  model: ChatModel
  topRem: number
  /** Its position among `count` models, not all of which are rendered. */
  position: number
  count: number
  /** The approximate price here; undefined for that of an everyday message. */
  price: Nano | null | undefined
  /** Set if the balance does not cover a full answer. */
  short: ShortAnswer | null
  isFavourite: boolean
  isChosen: boolean
  isActive: boolean
  onChoose: (model: ChatModel) => void
}

export const ModelOption = memo(function ModelOption(props: ModelOptionProps) {
  const { id, model, topRem, price, short, isFavourite, isChosen, isActive, onChoose } = props
  const t = useTranslations('chat')
  const locale = useLocale()
  const money = useMoney()
  const shortText = useShortText()
  const { withdrawnOn } = factsOf(model)
  return (
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      aria-setsize={props.count}
      aria-posinset={props.position}
      data-active={isActive || undefined}
      tabIndex={-1}
      className={styles.option}
      style={{ top: `${topRem}rem` }}
      onClick={() => onChoose(model)}
    >
      <span className={styles.name}>
        <span className={styles.nameText}>{model.name}</span>
        {model.draws && (
          <span className={styles.mark}>
            <Icon icon={Brush} size={14} />
            {t('picker.abilities.draws')}
          </span>
        )}
        {withdrawnOn !== null && (
          <span className={styles.mark} data-warns>
            <Icon icon={Hourglass} size={14} />
            {t('picker.until', { date: shortDate(withdrawnOn, locale) })}
          </span>
        )}
        {isFavourite && <VisuallyHidden>{t('picker.favouriteShort')}</VisuallyHidden>}
        {isChosen && <Icon icon={Check} size={16} />}
      </span>
      <span className={styles.prices}>
        {price === undefined && !short ? (
          <ModelPrice model={model} />
        ) : isFree(model) ? (
          <span>{t('free')}</span>
        ) : (
          price !== null && price !== undefined && <Money text={`≈ ${money.about(formatUsd(price))}`} />
        )}
        {short && <span data-warns={short.missing > 0n || undefined}>{shortText(short)}</span>}
        {!short && !model.draws && !isFree(model) && (
          <Money
            className={styles.perMillion}
            text={t('pricePerMillion', {
              input: perMillion(model.prices.prompt, locale),
              output: perMillion(model.prices.completion, locale),
            })}
          />
        )}
      </span>
    </div>
  )
})

/** Says how short an answer the balance pays for, or what is missing for a useful one. */
export function useShortText(): (short: ShortAnswer) => string {
  const t = useTranslations('chat')
  const money = useMoney()
  return ({ missing, tokenCount }) =>
    missing > 0n
      ? t('picker.missing', { price: money.about(formatUsd(missing), 'ceil') })
      : t('picker.words', { count: wordsOfTokens(tokenCount) })
}

/** In dollars; a dash if the price cannot be parsed. */
export function perMillion(price: string, locale: string): string {
  const usd = pricePerMillion(price)
  return usd === null ? '–' : formatApproximateMoney(usd, locale)
}

/** A calendar day, independent of the time zone. */
function shortDate(day: string, locale: string): string {
  return dateFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(day))
}
