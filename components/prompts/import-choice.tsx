import { useTranslations } from 'next-intl'
import { useDeferredValue, useMemo, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Checkbox } from '@/components/ui/checkbox'
import layout from '@/components/ui/layout.module.css'
import text from '@/components/ui/text.module.css'
import { TextInput } from '@/components/ui/text-input'
import { findPrompts, type PromptFields } from '@/lib/local/prompts/prompt'
import styles from './prompts.module.css'
import { useAddPrompts } from './use-import'

interface ImportChoiceProps {
  found: readonly PromptFields[]
  skippedCount: number
  onDone: () => void
}

const SHOWN_COUNT_MAX = 100

/** Picks from a large collection the prompts that the person wants. */
export function ImportChoice({ found, skippedCount, onDone }: ImportChoiceProps) {
  const t = useTranslations('prompts')
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<PromptFields>>(new Set())
  const add = useAddPrompts()
  const sought = useDeferredValue(query)
  const matching = useMemo(() => findPrompts(found, sought), [found, sought])
  const shown = matching.slice(0, SHOWN_COUNT_MAX)
  const toggle = (prompt: PromptFields) => {
    const next = new Set(chosen)
    if (!next.delete(prompt)) next.add(prompt)
    setChosen(next)
  }
  return (
    <form
      className={layout.stack}
      onSubmit={event => {
        event.preventDefault()
        if (chosen.size > 0 && add([...chosen])) onDone()
      }}
    >
      <p className={text.note}>
        {t('importFound', { count: found.length })}{' '}
        {skippedCount > 0 && t('importSkipped', { count: skippedCount })}
      </p>
      <TextInput
        type="search"
        aria-label={t('search')}
        placeholder={t('search')}
        autoComplete="off"
        value={query}
        onChange={event => setQuery(event.currentTarget.value)}
      />
      <ul className={styles.list}>
        {shown.map(prompt => (
          <li key={`${prompt.name}\n${prompt.content}`}>
            <Checkbox className={styles.choice} checked={chosen.has(prompt)} onChange={() => toggle(prompt)}>
              <span>
                <span className={styles.name} dir="auto">
                  {prompt.name}
                </span>
                <span className={styles.excerpt} dir="auto">
                  {prompt.content}
                </span>
              </span>
            </Checkbox>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className={text.muted}>{t('none')}</p>}
      {matching.length > shown.length && (
        <p className={text.note}>{t('importShown', { count: SHOWN_COUNT_MAX })}</p>
      )}
      <div className={styles.foot}>
        <Button type="submit" disabled={chosen.size === 0}>
          {t('add', { count: chosen.size })}
        </Button>
        <Button variant="quiet" onClick={() => setChosen(new Set([...chosen, ...shown]))}>
          {t('selectShown')}
        </Button>
        <Button variant="quiet" onClick={onDone}>
          {t('back')}
        </Button>
      </div>
    </form>
  )
}
