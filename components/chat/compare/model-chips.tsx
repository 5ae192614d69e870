import { X } from 'lucide'
import { useTranslations } from 'next-intl'
import { useEffect } from 'react'
import { useBalance } from '@/components/credit/use-balance'
import { Icon } from '@/components/ui/icon'
import { Money, useMoney } from '@/components/ui/money'
import { formatUsd, type Nano } from '@/lib/money/nano'
import { type ChatModel, isFree } from '../chat-model'
import styles from './compare.module.css'
import { sharedTokenCount, USEFUL_TOKEN_COUNT } from './share-balance'

interface ModelChipsProps {
  models: readonly ChatModel[]
  priceOf: (model: ChatModel) => Nano | null
  onRemove: (modelId: string) => void
}

/** Above the composer: who is to answer, and what the balance lets them. */
export function ComparedModels(props: ModelChipsProps) {
  useEffect(() => {
    // Not only when the first answer begins.
    void import('./comparison')
  }, [])
  return (
    <>
      <ModelChips {...props} />
      <BalanceShared {...props} />
    </>
  )
}

/** A token is about so much of a word in the languages that most models know best. */
const WORDS_PER_TOKEN = 0.7

/** Said before anything is sent, where the balance does not hold for all of them in full. */
function BalanceShared({ models, priceOf }: Pick<ModelChipsProps, 'models' | 'priceOf'>) {
  const t = useTranslations('compare')
  const money = useMoney()
  const { shown } = useBalance()
  const tokenCount = sharedTokenCount(models, priceOf, shown?.amountUsd ?? null)
  // With nothing at all, the notice of a shortage says the rest.
  if (tokenCount === null || !shown || shown.amountUsd <= 0) return null
  const count = Number((tokenCount * WORDS_PER_TOKEN).toPrecision(1))
  const balance = money.balance(shown.amountUsd)
  return (
    <p className={styles.hint} role="status">
      {tokenCount < USEFUL_TOKEN_COUNT ? t('tooLittle', { balance }) : t('shared', { balance, count })}
    </p>
  )
}

/** Models that are to answer side by side, each with what its answer would cost. */
export function ModelChips({ models, priceOf, onRemove }: ModelChipsProps) {
  const t = useTranslations('compare')
  const chat = useTranslations('chat')
  const money = useMoney()
  return (
    <ul className={styles.chips} aria-label={t('comparing')}>
      {models.map(model => {
        const price = priceOf(model)
        return (
          <li key={model.id} className={styles.chip}>
            <span className={styles.chipName}>{model.name}</span>
            {isFree(model)
              ? chat('free')
              : price !== null && <Money text={`≈ ${money.about(formatUsd(price))}`} />}
            <button
              type="button"
              className={styles.chipRemove}
              aria-label={t('remove', { model: model.name })}
              title={t('remove', { model: model.name })}
              onClick={() => onRemove(model.id)}
            >
              <Icon icon={X} size={14} />
            </button>
          </li>
        )
      })}
    </ul>
  )
}
