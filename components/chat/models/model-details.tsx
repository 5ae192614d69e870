import { ArrowLeft, Star } from 'lucide'
import { useLocale, useTranslations } from 'next-intl'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { Button } from '@/components/ui/button'
import { Icon } from '@/components/ui/icon'
import { useMoney } from '@/components/ui/money'
import type { ShortAnswer } from '@/lib/exchange/client/outgoing'
import { formatUsd, type Nano } from '@/lib/money/nano'
import { type ChatModel, isFree } from '../chat-model'
import { useLanguageOf } from '../use-language-of'
import { factsOf } from './model-facts'
import { perMillion, useShortText } from './model-option'
import styles from './models.module.css'
import { useAbilityNames } from './narrowing'

interface ModelDetailsProps {
  model: ChatModel
  price: Nano | null
  short: ShortAnswer | null
  isFavourite: boolean
  onFavourite: (model: ChatModel) => void
  onBack: () => void
  onChoose: () => void
}

/** All that is known of a model, shown in place of the list. */
export function ModelDetails(props: ModelDetailsProps) {
  const { model, price, short, isFavourite, onFavourite, onBack, onChoose } = props
  const t = useTranslations('chat')
  const money = useMoney()
  const shortText = useShortText()
  const locale = useLocale()
  const names = useAbilityNames()
  const headRef = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => headRef.current?.focus(), [])
  const { maker, description, createdAtSeconds, withdrawnOn, abilities } = factsOf(model)
  // Hosts describe their models in English, unless it is plain that one does not.
  const descriptionLanguage = useLanguageOf(description) ?? 'en'
  const number = new Intl.NumberFormat(locale)
  const day = (date: Date) =>
    new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(date)
  const about = price === null ? null : money.about(formatUsd(price))
  const facts: (readonly [string, ReactNode])[] = [
    [t('picker.maker'), maker],
    [model.draws ? t('picker.pricePicture') : t('picker.priceMessage'), isFree(model) ? t('free') : about],
    [t('picker.shortAnswer'), short && shortText(short)],
    [t('picker.priceRead'), !model.draws && !isFree(model) && perMillion(model.prices.prompt, locale)],
    [t('picker.priceWritten'), !model.draws && !isFree(model) && perMillion(model.prices.completion, locale)],
    [
      t('picker.context'),
      model.windowTokens !== null && t('picker.tokens', { count: number.format(model.windowTokens) }),
    ],
    [
      t('picker.answerMax'),
      model.controls.outputTokensMax !== null &&
        t('picker.tokens', { count: number.format(model.controls.outputTokensMax) }),
    ],
    [t('picker.abilitiesTitle'), [...abilities].map(one => names[one]).join(' · ')],
    [t('picker.since'), createdAtSeconds > 0 && day(new Date(createdAtSeconds * 1_000))],
    [t('picker.withdrawn'), withdrawnOn !== null && day(new Date(withdrawnOn))],
  ]
  return (
    <div className={styles.picker}>
      <div className={styles.details}>
        <h3 ref={headRef} tabIndex={-1} className={styles.detailsName}>
          {model.name}
        </h3>
        {description !== '' && (
          <p lang={descriptionLanguage} className={styles.description}>
            {description}
          </p>
        )}
        <dl className={styles.facts}>
          {facts
            .filter(([, value]) => value)
            .map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
        </dl>
      </div>
      <div className={styles.detailsActions}>
        <Button variant="quiet" onClick={onBack}>
          <Icon icon={ArrowLeft} size={16} />
          {t('picker.back')}
        </Button>
        <Button
          variant="quiet"
          aria-pressed={isFavourite}
          aria-label={t('picker.favourite', { model: model.name })}
          onClick={() => onFavourite(model)}
        >
          <Icon icon={Star} size={16} fill={isFavourite ? 'currentColor' : 'none'} />
          {t('picker.favouriteShort')}
        </Button>
        <Button onClick={onChoose}>{t('picker.choose')}</Button>
      </div>
    </div>
  )
}
