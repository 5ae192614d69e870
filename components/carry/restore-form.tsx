'use client'

import { useTranslations } from 'next-intl'
import { type ComponentType, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useErrorText } from '@/components/shell/use-error-text'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { focusAfterRender } from '@/components/ui/focus'
import layout from '@/components/ui/layout.module.css'
import { TextArea } from '@/components/ui/text-input'
import { holdsCreditId, WORD_COUNT, wordsIn } from '@/lib/local/credit-words'
import { ReplaceCredit } from './replace-credit'
import styles from './restore-form.module.css'
import { type RestoreProblem, useRestore } from './use-restore'
import type { WordFieldsProps } from './word-fields'

/** One for each field: those of the text, if it has no more. */
function firstWords(text: string): readonly string[] {
  const typed = wordsIn(text)
  const known = typed.length > WORD_COUNT || holdsCreditId(text) ? [] : typed
  return Array.from({ length: WORD_COUNT }, (_, index) => known[index] ?? '')
}

/** Brings a credit over from another device by its twelve words or its key. */
export function RestoreForm() {
  const t = useTranslations('carry')
  const { state, search, replace, move, startOver, failToLoad } = useRestore()
  const [text, setText] = useState('')
  /** Null unless the words are being asked for one by one. */
  const [words, setWords] = useState<readonly string[] | null>(null)
  const [WordFields, setWordFields] = useState<ComponentType<WordFieldsProps> | null>(null)
  const problem = state.step === 'ask' ? state.problem : null
  const isDone = state.step === 'restored' || state.step === 'already'

  const clear = () => {
    setText('')
    setWords(null)
  }
  const askForWords = async (known: readonly string[]) => {
    try {
      const loaded = await import('./word-fields')
      setWordFields(() => loaded.WordFields)
      setWords(known)
    } catch {
      failToLoad()
    }
  }
  useClearOnLeaving(clear)
  const clearNow = useEffectEvent(clear)
  useEffect(() => {
    if (isDone) clearNow()
  }, [isDone])
  const done = useFocusWhen(isDone)

  if (state.step === 'decide') {
    return (
      <ReplaceCredit
        key={state.heldCreditId}
        heldCreditId={state.heldCreditId}
        foundBalanceUsd={state.found.balanceUsd}
        onReplace={() => {
          clear()
          replace(state)
        }}
        onKeep={() => {
          clear()
          startOver()
          focusAfterRender('[data-restore]')
        }}
        onMove={() => {
          clear()
          return move(state)
        }}
      />
    )
  }
  const submit = async () => {
    if (state.step === 'searching') return
    const next = await search(words?.join(' ') ?? text)
    // Errors in single words are shown beside their fields.
    if (next.step === 'ask' && next.problem?.problem === 'words') await askForWords(next.problem.words)
  }
  const change = () => {
    if (state.step !== 'searching') startOver()
  }
  const shown = words && problem?.problem === 'words' ? stillWrong(problem, words) : problem
  const error = shown && <ProblemText problem={shown} />
  return (
    <form
      className={layout.stack}
      onSubmit={event => {
        event.preventDefault()
        void submit()
      }}
    >
      {words && WordFields ? (
        <WordFields
          words={words}
          wrong={shown?.problem === 'words' ? shown.wrong : []}
          error={error}
          onChange={changed => {
            setWords(changed)
            if (problem?.problem !== 'words') change()
          }}
        />
      ) : (
        <Field label={t('restoreLabel')} hint={t('restoreHint')} error={error}>
          {control => (
            <TextArea
              {...control}
              data-restore
              mono
              rows={3}
              autoComplete="off"
              autoCapitalize="none"
              autoCorrect="off"
              // Some browsers send text to a server to check its spelling.
              spellCheck={false}
              value={text}
              onChange={event => {
                setText(event.currentTarget.value)
                change()
              }}
            />
          )}
        </Field>
      )}
      <div className={styles.actions}>
        <Button
          type="submit"
          variant="quiet"
          loading={state.step === 'searching'}
          disabled={(words?.join('') ?? text).trim() === ''}
        >
          {t('restore')}
        </Button>
        <Button
          variant="quiet"
          onClick={() => {
            startOver()
            if (!words) return void askForWords(firstWords(text))
            // What was typed before is still there, unless words were entered since.
            if (words.some(Boolean)) setText(words.filter(Boolean).join(' '))
            setWords(null)
          }}
        >
          {t(words ? 'pasteInstead' : 'wordByWord')}
        </Button>
        <p ref={done} tabIndex={-1} role="status" className={styles.done}>
          {isDone && t(state.step)}
        </p>
      </div>
    </form>
  )
}

type WordsProblem = Extract<RestoreProblem, { problem: 'words' }>

/** The errors that remain after some of the words were changed. */
function stillWrong(problem: WordsProblem, words: readonly string[]): WordsProblem | null {
  const isUnchanged = (index: number) => words[index] === problem.words[index]
  if (problem.wrong.length === 0) return words.every((_, index) => isUnchanged(index)) ? problem : null
  const wrong = problem.wrong.filter(({ place }) => isUnchanged(place - 1))
  return wrong.length > 0 ? { ...problem, wrong } : null
}

function ProblemText({ problem }: { problem: RestoreProblem }) {
  const t = useTranslations('carry.restoreProblem')
  const errorText = useErrorText()
  switch (problem.problem) {
    case 'words':
      return problem.wrong.length > 0 ? t('words', { count: problem.wrong.length }) : t('checksum')
    case 'count':
      return t('count', { count: problem.count })
    case 'unreachable':
      return errorText('network')
    default:
      return t(problem.problem)
  }
}

/** Clears the secret when the page is left, since browsers restore a page as it was on going back. */
function useClearOnLeaving(clear: () => void): void {
  const clearNow = useEffectEvent(clear)
  useEffect(() => {
    const leave = () => clearNow()
    window.addEventListener('pagehide', leave)
    return () => window.removeEventListener('pagehide', leave)
  }, [])
}

/** The button that had the focus has no more use by then. */
function useFocusWhen(isDue: boolean) {
  const element = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (isDue) element.current?.focus()
  }, [isDue])
  return element
}
