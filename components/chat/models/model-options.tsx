import { useTranslations } from 'next-intl'
import {
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useBalanceToSpend } from '@/components/credit/use-balance'
import { Button } from '@/components/ui/button'
import { hasCoarsePointer } from '@/components/ui/focus'
import { isComposing } from '@/components/ui/is-composing'
import layout from '@/components/ui/layout.module.css'
import { LiveRegion } from '@/components/ui/live-region'
import { TextInput } from '@/components/ui/text-input'
import { useStore } from '@/components/ui/use-store'
import type { CuratedIds } from '@/lib/catalogue/domain/curated-roles'
import { estimateEverydayMessage, type ShortAnswer } from '@/lib/exchange/client/outgoing'
import { oncePer } from '@/lib/http/domain/once-per'
import { changeModelChoices, modelChoicesStore, noteRecent, toggleFavourite } from '@/lib/local/model-choices'
import type { Nano } from '@/lib/money/nano'
import type { ChatModel } from '../chat-model'
import type { ModelsState } from '../use-models'
import { ModelDetails } from './model-details'
import type { ModelSearch } from './model-facts'
import { ModelList } from './model-list'
import styles from './models.module.css'
import { Narrowing } from './narrowing'
import { ShortNotice } from './short-notice'
import { useSearch } from './use-search'

interface ModelOptionsProps {
  modelList: ModelsState
  chosenId: string | null
  /** If several models can be chosen. */
  chosenIds?: readonly string[]
  /** The models that the operator recommends; without it there are no recommendations. */
  curatedIds?: CuratedIds
  /** The approximate price with a model; by default that of an everyday message or a picture. */
  priceOf?: (model: ChatModel) => Nano | null
  /** Further models, which cannot be chosen now, and why. Said where a search finds no others. */
  leftOut?: { models: readonly ChatModel[]; reason: string }
  /** Says what the prices are for. */
  pricesLegend?: string
  /** How short an answer a balance covers. */
  shortOf?: (model: ChatModel, balance: Nano) => ShortAnswer | null
  onChoose: (modelId: string) => void
  /** Rendered below the list. */
  children?: ReactNode
}

const toggle = (model: ChatModel) => changeModelChoices(known => toggleFavourite(known, model.id))

/** A search field that controls a list: for arrows, Home, End and Enter the focus stays in the field. */
export function ModelOptions(props: ModelOptionsProps) {
  const { modelList, chosenId, chosenIds, curatedIds, leftOut, pricesLegend, shortOf, children } = props
  const { models } = modelList
  const t = useTranslations('chat')
  const common = useTranslations('common')
  const compare = useTranslations('compare')
  const listId = useId()
  const inputRef = useRef<HTMLInputElement>(null)
  const [detailed, setDetailed] = useState<ChatModel | null>(null)
  const choices = useStore(modelChoicesStore)
  const priceOf = usePrices(props.priceOf)
  const shortAnswerOf = useShortAnswers(shortOf)
  // As it was when the list was opened, so that a row does not move when it is marked.
  const [pinned] = useState(() =>
    // The current model counts as recent, so that it is quickly found.
    chosenId === null || chosenIds ? choices : noteRecent(choices, chosenId),
  )
  const { search, change, isLong, sections, matchesAny } = useSearch({ models, pinned, curatedIds, priceOf })
  const found = useMemo(() => sections.flatMap(section => section.models), [sections])
  const isNarrowed = search.query.trim() !== '' || search.abilities.size > 0

  useLayoutEffect(() => {
    // On a touch screen that would open a keyboard over the list.
    if (!hasCoarsePointer()) inputRef.current?.focus()
  }, [])

  const choose = useLatest((model: ChatModel) => {
    if (chosenIds === undefined) changeModelChoices(known => noteRecent(known, model.id))
    props.onChoose(model.id)
  })
  const { active, activeIndex, setActiveId, onKeyDown } = useActive(found, chosenId, choose)
  const narrow = (next: Partial<ModelSearch>) => {
    change(next)
    setActiveId(null)
  }
  const showDetails = useLatest((model: ChatModel) => {
    setActiveId(model.id)
    setDetailed(model)
  })
  const closeDetails = () => {
    setDetailed(null)
    requestAnimationFrame(() => {
      const button = document.getElementById(`${listId}-about`)
      if (button) button.focus()
      else inputRef.current?.focus()
    })
  }

  if (modelList.failed) {
    return (
      <div className={layout.stack}>
        <p className={styles.none}>{t('modelsFailed')}</p>
        <div>
          <Button variant="quiet" onClick={modelList.retry}>
            {common('retry')}
          </Button>
        </div>
      </div>
    )
  }
  if (detailed) {
    return (
      <ModelDetails
        model={detailed}
        price={priceOf(detailed)}
        short={shortAnswerOf(detailed)}
        isFavourite={choices.favouriteIds.includes(detailed.id)}
        onFavourite={toggle}
        onBack={closeDetails}
        onChoose={() => {
          setDetailed(null)
          choose(detailed)
        }}
      />
    )
  }
  const chosen = models.find(({ id }) => id === chosenId)
  return (
    <div className={styles.picker}>
      <div className={styles.tools}>
        <TextInput
          ref={inputRef}
          type="search"
          role="combobox"
          aria-label={t('searchModels')}
          placeholder={t('searchModels')}
          aria-expanded="true"
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={active && `${listId}-${active.id}`}
          autoComplete="off"
          value={search.query}
          onChange={event => narrow({ query: event.target.value })}
          onKeyDown={onKeyDown}
        />
        {isLong && <Narrowing models={models} search={search} onChange={narrow} />}
      </div>
      {chosen && (
        <ShortNotice
          model={chosen}
          models={models}
          shortOf={shortAnswerOf}
          priceOf={priceOf}
          onChoose={choose}
        />
      )}
      <p className={styles.legend}>
        {pricesLegend ?? (props.priceOf ? compare('pricesHere') : t('pricesLegend'))}
      </p>
      <p className={styles.none} role="status">
        {found.length === 0 && !modelList.loading && t('noModels')}
        {found.length === 0 && leftOut && matchesAny(leftOut.models) && ` ${leftOut.reason}`}
      </p>
      <ModelList
        id={listId}
        sections={sections}
        activeIndex={activeIndex}
        chosenIds={chosenIds ?? (chosenId === null ? [] : [chosenId])}
        isMultiple={chosenIds !== undefined}
        isLong={isLong}
        favouriteIds={choices.favouriteIds}
        priceOf={props.priceOf ? priceOf : null}
        shortOf={shortAnswerOf}
        onChoose={choose}
        onDetails={showDetails}
        onFavourite={toggle}
      />
      <LiveRegion>{isNarrowed && found.length > 0 && t('modelsFound', { count: found.length })}</LiveRegion>
      {children}
    </div>
  )
}

/** The model that Enter chooses. The focus stays in the search field. */
function useActive(found: readonly ChatModel[], chosenId: string | null, choose: (model: ChatModel) => void) {
  const [activeId, setActiveId] = useState(chosenId)
  const activeIndex = Math.max(
    0,
    found.findIndex(({ id }) => id === activeId),
  )
  const active = found[activeIndex]
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return
    const target = { ArrowDown: activeIndex + 1, ArrowUp: activeIndex - 1, Home: 0, End: found.length - 1 }[
      event.key
    ]
    if (target !== undefined) {
      event.preventDefault()
      setActiveId(found[Math.min(Math.max(target, 0), found.length - 1)]?.id ?? null)
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      if (active) choose(active)
    }
  }
  return { active, activeIndex, setActiveId, onKeyDown }
}

/** Caches the price of each model, since sorting asks for hundreds. */
function usePrices(priceOf: ModelOptionsProps['priceOf']): (model: ChatModel) => Nano | null {
  return useMemo(() => oncePer(priceOf ?? estimateEverydayMessage), [priceOf])
}

/** With an empty balance every model would say the same; the shortage notice says it instead. */
function useShortAnswers(shortOf: ModelOptionsProps['shortOf']): (model: ChatModel) => ShortAnswer | null {
  const balance = useBalanceToSpend()
  return useMemo(() => {
    if (!shortOf || balance === null) return () => null
    return oncePer((model: ChatModel) => shortOf(model, balance))
  }, [shortOf, balance])
}

/** A stable function that calls the latest one. */
function useLatest(act: (model: ChatModel) => void): (model: ChatModel) => void {
  const ref = useRef(act)
  useLayoutEffect(() => {
    ref.current = act
  })
  return useCallback(model => ref.current(model), [])
}
