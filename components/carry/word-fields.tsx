'use client'

import { useLocale, useTranslations } from 'next-intl'
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from 'react'
import { Button } from '@/components/ui/button'
import { isComposing } from '@/components/ui/is-composing'
import layout from '@/components/ui/layout.module.css'
import text from '@/components/ui/text.module.css'
import { TextInput } from '@/components/ui/text-input'
import type { Locale } from '@/lib/i18n/routing'
import {
  completeWord,
  creditIdToWords,
  holdsCreditId,
  parseCreditSecret,
  WORD_COUNT,
  type WrongWord,
  wordsIn,
} from '@/lib/local/credit-words'
import styles from './word-fields.module.css'

export interface WordFieldsProps {
  /** Twelve; empty strings for those that are not filled in yet. */
  words: readonly string[]
  wrong: readonly WrongWord[]
  error: ReactNode
  onChange: (words: readonly string[]) => void
}

/** Twelve numbered fields, each of which suggests words as one types. */
export function WordFields({ words, wrong, error, onChange }: WordFieldsProps) {
  const t = useTranslations('carry')
  const locale = useLocale()
  const errorId = useId()
  const list = useRef<HTMLOListElement>(null)

  const focusField = (index: number) => {
    list.current?.querySelectorAll('input')[Math.min(Math.max(index, 0), WORD_COUNT - 1)]?.focus()
  }
  const firstPlace = wrong[0]?.place
  const openAt = useEffectEvent(() =>
    focusField(firstPlace === undefined ? words.indexOf('') : firstPlace - 1),
  )
  useEffect(() => openAt(), [])

  const paste = async (index: number, pasted: string) => {
    const found = wordsIn(pasted)
    const isKey = holdsCreditId(pasted)
    if (found.length === WORD_COUNT && !isKey) return onChange(found)
    // Without the word lists, what was pasted stays as it is: a key is understood in any of the fields.
    const read = await readWords(pasted, locale).catch(() => (isKey ? words.with(index, pasted) : null))
    onChange(read ?? words.map((word, place) => found[place - index] ?? word))
  }
  return (
    <fieldset className={layout.choices} aria-describedby={error ? errorId : undefined}>
      <legend className={layout.legend}>{t('words')}</legend>
      <p id={errorId} role="alert" className={text.smallProblem} hidden={!error}>
        {error}
      </p>
      <ol ref={list} className={styles.fields}>
        {words.map((word, index) => (
          <WordField
            // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies the field
            key={index}
            place={index + 1}
            word={word}
            others={words}
            wrong={wrong.find(({ place }) => place === index + 1) ?? null}
            onChange={changed => onChange(words.with(index, changed))}
            onPaste={pasted => void paste(index, pasted)}
            onMove={by => focusField(index + by)}
          />
        ))}
      </ol>
    </fieldset>
  )
}

/** The twelve words in a pasted text, or of the key in it; null if it has neither. */
async function readWords(pasted: string, locale: Locale): Promise<readonly string[] | null> {
  const secret = await parseCreditSecret(pasted)
  if ('creditId' in secret) return (await creditIdToWords(secret.creditId, locale)).split(' ')
  return secret.problem === 'words' ? secret.words : null
}

interface WordFieldProps {
  place: number
  word: string
  others: readonly string[]
  /** Null if it is on a word list, or not checked yet. */
  wrong: WrongWord | null
  onChange: (word: string) => void
  onPaste: (pasted: string) => void
  /** Moves the focus by so many fields. */
  onMove: (by: number) => void
}

function WordField({ place, word, others, wrong, onChange, onPaste, onMove }: WordFieldProps) {
  const t = useTranslations('carry')
  const listId = useId()
  const wrongId = useId()
  const locale = useLocale()
  const [options, setOptions] = useState<readonly string[]>([])
  /** Counts the requests for suggestions, so that late results for an earlier text are dropped. */
  const lastRequest = useRef(0)
  const [activeIndex, setActiveIndex] = useState(-1)
  // It keeps its line once the word is right: a field must not move while one types in it.
  const [hasOwnLine, setOwnLine] = useState(false)
  if (wrong && !hasOwnLine) setOwnLine(true)
  const isOpen = options.length > 0
  const optionId = (index: number) => `${listId}-${index}`

  const show = (found: readonly string[]) => {
    lastRequest.current += 1
    setOptions(found)
    setActiveIndex(-1)
  }
  const close = () => show([])
  const take = (chosen: string | undefined) => {
    if (chosen === undefined) return
    onChange(chosen)
    close()
    onMove(1)
  }
  const type = async (typed: string) => {
    // A space completes the word, as when typing the phrase in one go.
    if (/\S\s$/.test(typed))
      return take(options[activeIndex] ?? (options.length === 1 ? options[0] : typed.trim()))
    onChange(typed.trim())
    close()
    const number = lastRequest.current
    const found = await completeWord(typed, others, locale).catch(() => [])
    if (lastRequest.current === number && found.join() !== typed) show(found)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (isComposing(event.nativeEvent)) return
    const act = {
      ArrowDown: isOpen && (() => setActiveIndex((activeIndex + 1) % options.length)),
      ArrowUp: isOpen && (() => setActiveIndex((activeIndex > 0 ? activeIndex : options.length) - 1)),
      Escape: isOpen && close,
      Enter: isOpen && activeIndex >= 0 && (() => take(options[activeIndex])),
      Backspace: word === '' && (() => onMove(-1)),
    }[event.key]
    if (!act) return
    event.preventDefault()
    act()
  }
  const paste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text')
    if (wordsIn(pasted).length < 2) return
    event.preventDefault()
    close()
    onPaste(pasted)
  }
  return (
    <li className={hasOwnLine ? styles.ownLine : undefined}>
      <div className={styles.field}>
        <span className={styles.place} aria-hidden="true">
          {place}
        </span>
        <TextInput
          mono
          role="combobox"
          aria-label={t('wordAt', { place })}
          aria-autocomplete="list"
          aria-expanded={isOpen}
          aria-controls={listId}
          aria-activedescendant={activeIndex >= 0 ? optionId(activeIndex) : undefined}
          aria-invalid={wrong !== null || undefined}
          aria-describedby={wrong ? wrongId : undefined}
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          // Some browsers send text to a server to check its spelling.
          spellCheck={false}
          value={word}
          onChange={event => void type(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onPaste={paste}
          onBlur={close}
          className={styles.input}
        />
        <ul
          id={listId}
          role="listbox"
          aria-label={t('completions')}
          className={styles.options}
          hidden={!isOpen}
        >
          {options.map((option, index) => (
            <li
              key={option}
              id={optionId(index)}
              role="option"
              aria-selected={index === activeIndex}
              className={styles.option}
              onPointerDown={event => event.preventDefault()}
              onClick={() => take(option)}
            >
              {option}
            </li>
          ))}
        </ul>
      </div>
      {wrong && (
        <>
          <p id={wrongId} className={text.note}>
            {t(wrong.nearest.length > 0 ? 'wrongWord' : 'strangeWord', { place, word })}
          </p>
          <div className={layout.row}>
            {wrong.nearest.map(near => (
              <Button
                key={near}
                variant="quiet"
                size="small"
                onClick={() => {
                  onChange(near)
                  onMove(0)
                }}
              >
                {near}
              </Button>
            ))}
          </div>
        </>
      )}
    </li>
  )
}
