import { useTranslations } from 'next-intl'
import { Button } from '@/components/ui/button'
import { useMoney } from '@/components/ui/money'
import type { ShortAnswer } from '@/lib/exchange/client/outgoing'
import { formatUsd, type Nano } from '@/lib/money/nano'
import type { ChatModel } from '../chat-model'
import styles from './models.module.css'
import { nearestModel } from './nearest-model'

interface ShortNoticeProps {
  model: ChatModel
  models: readonly ChatModel[]
  shortOf: (model: ChatModel) => ShortAnswer | null
  priceOf: (model: ChatModel) => Nano | null
  onChoose: (model: ChatModel) => void
}

/** Where the chosen model cannot give a useful answer for what is left: what is missing, and which one can. */
export function ShortNotice({ model, models, shortOf, priceOf, onChoose }: ShortNoticeProps) {
  const t = useTranslations('chat')
  const money = useMoney()
  const missing = shortOf(model)?.missing ?? 0n
  if (missing === 0n) return null
  const isUseful = (other: ChatModel) => (shortOf(other)?.missing ?? 0n) === 0n
  const nearest = nearestModel(model, models, isUseful, priceOf)
  return (
    <p className={styles.shortNotice} role="status">
      <span>
        {t('picker.tooShort', { model: model.name, price: money.about(formatUsd(missing), 'ceil') })}
      </span>
      {nearest && (
        <Button variant="quiet" size="small" onClick={() => onChoose(nearest)}>
          {t('chooseNamed', { model: nearest.name })}
        </Button>
      )}
    </p>
  )
}
