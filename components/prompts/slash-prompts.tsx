import { useTranslations } from 'next-intl'
import { type RefObject, useEffect, useEffectEvent, useId, useMemo, useState } from 'react'
import { isComposing } from '@/components/ui/is-composing'
import { LiveRegion } from '@/components/ui/live-region'
import { useStore } from '@/components/ui/use-store'
import { foldText } from '@/lib/local/domain/fold-text'
import type { Prompt } from '@/lib/local/prompts/prompt'
import { promptStore } from '@/lib/local/prompts/prompt-store'
import { variablesOf } from '@/lib/local/prompts/variables'
import { promptDialogStore } from './prompt-dialog-store'
import styles from './prompts.module.css'

interface SlashPromptsProps {
  boxRef: RefObject<HTMLTextAreaElement | null>
  text: string
  onText: (text: string) => void
}

const SHOWN_COUNT_MAX = 8
const NONE: readonly Prompt[] = []

/** Suggests prompts by name after a slash. The text field keeps the focus, and its arrow keys choose. */
export function SlashPrompts({ boxRef, text, onText }: SlashPromptsProps) {
  const t = useTranslations('prompts')
  const prompts = useStore(promptStore)
  /** The text for which the suggestions were dismissed. */
  const [dismissed, setDismissed] = useState<string | null>(null)
  const [active, setActive] = useState({ text, index: 0 })
  const found = useMemo(
    () => (text.startsWith('/') && text !== dismissed ? findByName(prompts, text.slice(1)) : NONE),
    [prompts, text, dismissed],
  )
  const activeIndex = active.text === text ? Math.min(active.index, found.length - 1) : 0
  const listId = useId()
  const isOpen = found.length > 0

  const choose = (prompt: Prompt) => {
    const isOpenEnded = variablesOf(prompt.content).length > 0
    onText(isOpenEnded ? '' : prompt.content)
    if (isOpenEnded) promptDialogStore.set({ fill: prompt })
    else boxRef.current?.focus()
  }

  const press = useEffectEvent((event: KeyboardEvent) => {
    if (isComposing(event) || event.ctrlKey || event.metaKey || event.altKey) return
    const count = found.length
    const step = { ArrowDown: 1, ArrowUp: count - 1 }[event.key]
    const prompt = found[activeIndex]
    if (step !== undefined) setActive({ text, index: (activeIndex + step) % count })
    else if (event.key === 'Escape') setDismissed(text)
    else if (prompt && ((event.key === 'Enter' && !event.shiftKey) || event.key === 'Tab')) choose(prompt)
    else return
    event.preventDefault()
    event.stopPropagation()
  })
  useEffect(() => {
    const box = boxRef.current
    if (!box || !isOpen) return
    // In the capture phase, before the text field sees the key: Enter would send the mere name.
    const onKeyDown = (event: KeyboardEvent) => press(event)
    box.addEventListener('keydown', onKeyDown, true)
    return () => box.removeEventListener('keydown', onKeyDown, true)
  }, [boxRef, isOpen])
  useEffect(() => {
    const box = boxRef.current
    if (!box || !isOpen) return
    const attributes = {
      'aria-autocomplete': 'list',
      'aria-controls': listId,
      'aria-activedescendant': `${listId}-${activeIndex}`,
    }
    for (const [name, value] of Object.entries(attributes)) box.setAttribute(name, value)
    document.getElementById(`${listId}-${activeIndex}`)?.scrollIntoView?.({ block: 'nearest' })
    return () => {
      for (const name of Object.keys(attributes)) box.removeAttribute(name)
    }
  }, [boxRef, isOpen, listId, activeIndex])

  return (
    <>
      <LiveRegion>{isOpen && t('suggestions', { count: found.length })}</LiveRegion>
      {isOpen && (
        <div id={listId} role="listbox" aria-label={t('library')} className={styles.suggestions}>
          {found.map((prompt, index) => (
            <div
              key={prompt.id}
              id={`${listId}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === activeIndex}
              className={styles.suggestion}
              onPointerMove={() => setActive({ text, index })}
              // Keeps the focus in the text field.
              onPointerDown={event => event.preventDefault()}
              onClick={() => choose(prompt)}
            >
              <span className={styles.name} dir="auto">
                {prompt.name}
              </span>
              <span className={styles.excerpt} dir="auto">
                {prompt.content}
              </span>
            </div>
          ))}
        </div>
      )}
    </>
  )
}

/** Prompts with a word in their name that begins with the typed text, earliest words first. */
function findByName(prompts: readonly Prompt[], typed: string): readonly Prompt[] {
  const query = foldText(typed)
  if (query.includes('\n')) return NONE
  const placeIn = ({ name }: Prompt) => ` ${foldText(name)}`.indexOf(` ${query}`)
  return prompts
    .filter(prompt => placeIn(prompt) >= 0)
    .sort((left, right) => placeIn(left) - placeIn(right))
    .slice(0, SHOWN_COUNT_MAX)
}
