import { useTranslations } from 'next-intl'
import { Button } from '@/components/ui/button'
import { useMoney } from '@/components/ui/money'
import { Status } from '@/components/ui/status'
import type { ShortAnswer } from '@/lib/exchange/client/outgoing'
import { formatUsd, NANO_PER_USD, type Nano } from '@/lib/money/nano'
import type { ChatModel } from '../chat-model'
import { factsOf } from './model-facts'
import styles from './models.module.css'

interface ShortNoticeProps {
  model: ChatModel
  models: readonly ChatModel[]
  shortOf: (model: ChatModel) => ShortAnswer | null
  priceOf: (model: ChatModel) => Nano | null
  onChoose: (model: ChatModel) => void
}

/**
 * Says that the balance does not cover a useful answer from the chosen model, how much is missing, and which model
 * would do.
 */
export function ShortNotice({ model, models, shortOf, priceOf, onChoose }: ShortNoticeProps) {
  const t = useTranslations('chat')
  const money = useMoney()
  const missing = shortOf(model)?.missing ?? 0n
  if (missing === 0n) return null
  const isUseful = (other: ChatModel) => (shortOf(other)?.missing ?? 0n) === 0n
  const nearest = nearestModel(model, models, isUseful, priceOf)
  return (
    <Status className={styles.shortNotice}>
      <span>
        {t('picker.tooShort', { model: model.name, price: money.about(formatUsd(missing), 'ceil') })}
      </span>
      {nearest && (
        <Button variant="quiet" size="small" onClick={() => onChoose(nearest)}>
          {t('chooseNamed', { model: nearest.name })}
        </Button>
      )}
    </Status>
  )
}

/**
 * The model most like `model` among those that can give a useful answer for the balance: with the same kind of output
 * and accepting the same input if possible, then by price, then by maker. Null if there is none.
 */
export function nearestModel(
  model: ChatModel,
  models: readonly ChatModel[],
  isUseful: (model: ChatModel) => boolean,
  priceOf: (model: ChatModel) => Nano | null,
): ChatModel | null {
  const wanted = priceOf(model)
  const { maker, abilities } = factsOf(model)
  const candidates = models.flatMap(other => {
    const price = priceOf(other)
    if (other.id === model.id || other.draws !== model.draws || price === null || !isUseful(other)) return []
    const facts = factsOf(other)
    const lost = [...abilities].filter(ability => !facts.abilities.has(ability)).length
    return [{ other, lost, distance: distanceOf(wanted, price), isAlien: Number(facts.maker !== maker) }]
  })
  candidates.sort(
    (left, right) =>
      left.lost - right.lost ||
      left.distance - right.distance ||
      left.isAlien - right.isAlien ||
      (left.other.id < right.other.id ? -1 : 1),
  )
  return candidates[0]?.other ?? null
}

/**
 * The distance of two prices on a logarithmic scale: twice as expensive is as far as half. Free models are far from all
 * others.
 */
function distanceOf(wanted: Nano | null, price: Nano): number {
  const log = (nano: Nano) => Math.log(Number(nano) / Number(NANO_PER_USD) + 1e-9)
  return wanted === null ? log(price) : Math.abs(log(wanted) - log(price))
}
