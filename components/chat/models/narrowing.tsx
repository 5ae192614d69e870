import { useTranslations } from 'next-intl'
import { useMemo } from 'react'
import type { ChatModel } from '../chat-model'
import { ABILITIES, type Ability, factsOf, MODEL_SORTS, type ModelSearch } from './model-facts'
import styles from './models.module.css'

interface NarrowingProps {
  models: readonly ChatModel[]
  search: Omit<ModelSearch, 'query'>
  onChange: (change: Partial<ModelSearch>) => void
}

/** Filters by ability and the sort order. */
export function Narrowing({ models, search, onChange }: NarrowingProps) {
  const { abilities, sort } = search
  const t = useTranslations('chat.picker')
  const names = useAbilityNames()
  const offered = useMemo(
    () => ABILITIES.filter(ability => models.some(model => factsOf(model).abilities.has(ability))),
    [models],
  )
  return (
    <div className={styles.narrowing}>
      <fieldset className={styles.filters} aria-label={t('sort')}>
        {MODEL_SORTS.map(each => (
          <button
            key={each}
            type="button"
            className={styles.filter}
            aria-pressed={sort === each}
            onClick={() => onChange({ sort: sort === each ? 'suggested' : each })}
          >
            {t(`sorts.${each}`)}
          </button>
        ))}
      </fieldset>
      <fieldset className={styles.filters} aria-label={t('narrow')}>
        {offered.map(ability => (
          <button
            key={ability}
            type="button"
            className={styles.filter}
            aria-pressed={abilities.has(ability)}
            onClick={() => onChange({ abilities: toggled(abilities, ability) })}
          >
            {names[ability]}
          </button>
        ))}
      </fieldset>
    </div>
  )
}

function toggled(abilities: ReadonlySet<Ability>, ability: Ability): ReadonlySet<Ability> {
  const next = new Set(abilities)
  if (!next.delete(ability)) next.add(ability)
  return next
}

export function useAbilityNames(): Readonly<Record<Ability, string>> {
  const t = useTranslations('chat.picker.abilities')
  return useMemo(
    () => ({
      pictures: t('pictures'),
      draws: t('draws'),
      documents: t('documents'),
      reasoning: t('reasoning'),
      tools: t('tools'),
      speech: t('speech'),
    }),
    [t],
  )
}
