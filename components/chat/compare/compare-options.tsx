import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Money, useMoney } from '@/components/ui/money'
import text from '@/components/ui/text.module.css'
import { COMPARED_COUNT_MAX, COMPARED_COUNT_MIN } from '@/lib/local/domain/comparisons'
import { formatUsd, type Nano } from '@/lib/money/nano'
import { type ChatModel, comparableWith, isFree } from '../chat-model'
import { ModelOptions } from '../models/model-options'
import type { ModelsState } from '../use-models'
import { sumOf } from '../use-next-message'
import styles from './compare.module.css'
import { ModelChips } from './model-chips'

interface CompareOptionsProps {
  modelList: ModelsState
  chosenIds: readonly string[]
  /** The number of answers that already exist. */
  answerCount?: number
  /** Whether those are drawn. */
  draws?: boolean
  priceOf: (model: ChatModel) => Nano | null
  onDone: (modelIds: readonly string[]) => void
  /** Returns to asking one model, if that is possible. */
  onOne?: () => void
}

/** Chooses the models that answer side by side, with the price of each and of all. */
export function CompareOptions(props: CompareOptionsProps) {
  const { modelList, answerCount = 0, priceOf, onDone, onOne } = props
  const t = useTranslations('compare')
  const money = useMoney()
  const [chosenIds, setChosenIds] = useState(props.chosenIds)
  const chosen = chosenIds.flatMap(id => modelList.models.find(model => model.id === id) ?? [])
  const [first] = chosen
  const models = comparableWith(props.draws ?? first?.draws, modelList.models)
  const isAlone = answerCount + models.length < COMPARED_COUNT_MIN
  const sum = sumOf(chosen.map(priceOf))
  const count = answerCount + chosen.length
  const toggle = (id: string) => {
    const others = chosenIds.filter(one => one !== id)
    if (others.length < chosenIds.length) setChosenIds(others)
    else if (count < COMPARED_COUNT_MAX) setChosenIds([...chosenIds, id])
  }
  return (
    <>
      <p className={styles.hint}>{t('hint', { min: COMPARED_COUNT_MIN, max: COMPARED_COUNT_MAX })}</p>
      <ModelOptions
        modelList={{ ...modelList, models }}
        chosenId={chosenIds[0] ?? null}
        chosenIds={chosenIds}
        leftOut={{ models: modelList.models, reason: t('ofOneKind') }}
        priceOf={priceOf}
        onChoose={toggle}
      />
      <div className={styles.choice}>
        {chosen.length > 0 && <ModelChips models={chosen} priceOf={priceOf} onRemove={toggle} />}
        <p className={text.note} role="status">
          {first && isAlone ? (
            t('noOther', { model: first.name })
          ) : (
            <>
              {t('chosen', { count: chosen.length })}
              {sum !== null && chosen.some(model => !isFree(model)) && (
                <>
                  {' · '}
                  {t.rich('together', {
                    price: money.about(formatUsd(sum)),
                    nowrap: price => <Money text={price} />,
                  })}
                </>
              )}
            </>
          )}
        </p>
        <div className={styles.actions}>
          {onOne && (
            <Button variant="quiet" onClick={onOne}>
              {t('onlyOne')}
            </Button>
          )}
          <Button
            disabled={count < COMPARED_COUNT_MIN || chosen.length === 0}
            onClick={() => onDone(chosen.map(({ id }) => id))}
          >
            {t('ask')}
          </Button>
        </div>
      </div>
    </>
  )
}
