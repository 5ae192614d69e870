import { useTranslations } from 'next-intl'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { TextInput } from '@/components/ui/text-input'
import { type ChatModel, findModels } from './chat-model'
import { ModelOption } from './model-option'
import styles from './model-picker.module.css'
import type { ModelsState } from './use-models'

interface ModelOptionsProps {
  modelList: ModelsState
  chosenId: string | null
  /** Where several are chosen at once. */
  chosenIds?: readonly string[]
  /** What is to be said of a model's price; otherwise that of an everyday message. */
  priceOf?: (model: ChatModel) => string | null
  onChoose: (modelId: string) => void
}

/**
 * The dialog gives the focus to the element that carries the attribute, which React itself never writes.
 * Without a mouse it would only bring up a keyboard over the list.
 */
function markAutofocus(input: HTMLInputElement | null): void {
  if (window.matchMedia?.('(hover: hover)').matches) input?.setAttribute('autofocus', '')
}

/** A search field that steers a list: arrows, Home, End and Enter never leave the field. */
export function ModelOptions({ modelList, chosenId, chosenIds, priceOf, onChoose }: ModelOptionsProps) {
  const t = useTranslations('chat')
  const compare = useTranslations('compare')
  const listId = useId()
  const listRef = useRef<HTMLDivElement>(null)
  const [query, setQuery] = useState('')
  const [activeId, setActiveId] = useState(chosenId)
  const found = useMemo(() => findModels(modelList.models, query), [modelList.models, query])
  const activeIndex = Math.max(
    0,
    found.findIndex(({ id }) => id === activeId),
  )
  const optionId = (index: number) => `${listId}-${index}`

  useEffect(() => {
    listRef.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest' })
  }, [])

  const move = (index: number) => {
    const next = Math.min(Math.max(index, 0), found.length - 1)
    setActiveId(found[next]?.id ?? null)
    document.getElementById(optionId(next))?.scrollIntoView({ block: 'nearest' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const target = { ArrowDown: activeIndex + 1, ArrowUp: activeIndex - 1, Home: 0, End: found.length - 1 }[
      event.key
    ]
    if (target !== undefined) {
      event.preventDefault()
      move(target)
    }
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      const active = found[activeIndex]
      if (active) onChoose(active.id)
    }
  }

  if (modelList.failed) {
    return (
      <p className={styles.none}>
        {t('modelsFailed')}{' '}
        <Button variant="quiet" size="small" onClick={modelList.retry}>
          {t('tryAgain')}
        </Button>
      </p>
    )
  }
  return (
    <>
      <TextInput
        ref={markAutofocus}
        type="search"
        role="combobox"
        aria-label={t('searchModels')}
        placeholder={t('searchModels')}
        aria-expanded="true"
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={found.length > 0 ? optionId(activeIndex) : undefined}
        autoComplete="off"
        value={query}
        onChange={event => setQuery(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <p className={styles.legend}>{priceOf ? compare('pricesHere') : t('pricesLegend')}</p>
      <div
        ref={listRef}
        id={listId}
        role="listbox"
        aria-label={t('models')}
        aria-multiselectable={chosenIds !== undefined}
        className={styles.list}
      >
        {found.map((model, index) => (
          <ModelOption
            key={model.id}
            id={optionId(index)}
            model={model}
            price={priceOf?.(model) ?? null}
            isChosen={chosenIds?.includes(model.id) ?? model.id === chosenId}
            isActive={index === activeIndex}
            onChoose={() => onChoose(model.id)}
          />
        ))}
      </div>
      {found.length === 0 && !modelList.loading && <p className={styles.none}>{t('noModels')}</p>}
    </>
  )
}
