import { useTranslations } from 'next-intl'
import { useMemo, useState } from 'react'
import { CURATED_ROLES, type CuratedIds } from '@/lib/catalogue/domain/curated-roles'
import type { ModelChoices } from '@/lib/local/model-choices'
import type { Nano } from '@/lib/money/nano'
import type { ChatModel } from '../chat-model'
import { curateModels } from './curated-models'
import { type Ability, type ModelSearch, searchModels } from './model-facts'
import type { ListSection } from './model-list'
import { useAbilityNames } from './narrowing'

/** Shorter lists can be taken in at a glance, and need no filters or sorting. */
const LONG_LIST_COUNT = 12

/** The search and its results: in sections until the person searches. */
export function useSearch(input: {
  models: readonly ChatModel[]
  /** Favourites and recent models, which come first. */
  pinned: ModelChoices
  curatedIds: CuratedIds | undefined
  priceOf: (model: ChatModel) => Nano | null
}) {
  const { models, pinned, curatedIds, priceOf } = input
  const [search, setSearch] = useState<ModelSearch>({ query: '', abilities: new Set(), sort: 'suggested' })
  const abilityWords = useAbilityWords()
  const isLong = models.length > LONG_LIST_COUNT
  const sections = useMemo((): readonly ListSection[] => {
    const { query, abilities, sort } = search
    if (query.trim() === '' && abilities.size === 0 && sort === 'suggested') {
      return isLong ? sectionsOf(models, pinned, curatedIds) : [{ name: null, models }]
    }
    return [{ name: null, models: searchModels(models, search, { priceOf, abilityWords }) }]
  }, [models, isLong, search, priceOf, pinned, curatedIds, abilityWords])
  const change = (next: Partial<ModelSearch>) => setSearch(known => ({ ...known, ...next }))
  const matchesAny = (others: readonly ChatModel[]) =>
    searchModels(others, search, { priceOf, abilityWords }).length > 0
  return { search, change, isLong, sections, matchesAny }
}

/** What people may call the abilities, besides their names. */
function useAbilityWords(): Readonly<Record<Ability, string>> {
  const t = useTranslations('chat.picker.abilityWords')
  const names = useAbilityNames()
  return useMemo(
    () => ({
      ...names,
      pictures: `${names.pictures} ${t('pictures')}`,
      draws: `${names.draws} ${t('draws')}`,
      documents: `${names.documents} ${t('documents')}`,
      speech: `${names.speech} ${t('speech')}`,
    }),
    [names, t],
  )
}

/** Lists each model once, in the first section that it belongs to. */
function sectionsOf(
  models: readonly ChatModel[],
  { favouriteIds, recentIds }: ModelChoices,
  curatedIds: CuratedIds | undefined,
): readonly ListSection[] {
  const byId = new Map(models.map(model => [model.id, model]))
  const take = (ids: readonly string[]) =>
    ids.flatMap(id => {
      const model = byId.get(id)
      byId.delete(id)
      return model ? [model] : []
    })
  const favourites = take(favouriteIds)
  const recent = take(recentIds)
  const curated = curatedIds ? [...curateModels(models, curatedIds)] : []
  const sections: ListSection[] = [
    { name: 'favourites', models: favourites },
    { name: 'recent', models: recent },
    ...CURATED_ROLES.map(role => ({
      name: role,
      models: take(curated.flatMap(([each, { id }]) => (each === role ? [id] : []))),
    })),
    { name: 'all', models: [...byId.values()] },
  ]
  const filled = sections.filter(section => section.models.length > 0)
  return filled.length > 1 ? filled : [{ name: null, models }]
}
