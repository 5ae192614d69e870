import { useTranslations } from 'next-intl'
import { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '@/components/ui/button'
import styles from './message.module.css'
import { useLanguageOf } from './use-language-of'

/** What is shown of a folded text: about half a screen. */
const FOLDED_LINE_COUNT = 20
const FOLDED_LENGTH = 1_500
/** Only a text that is at least twice as long is folded, so that unfolding is worth a press. */
const WHOLE_LINE_COUNT_MAX = 2 * FOLDED_LINE_COUNT
const WHOLE_LENGTH_MAX = 2 * FOLDED_LENGTH

/**
 * What a person wrote, as plain text. A long one, such as a pasted document, is folded so that the answer is near; the
 * browser's search unfolds it, and a printed page has all of it.
 */
export function UserText({ text }: { text: string }) {
  const end = useMemo(() => foldedEnd(text), [text])
  const language = useLanguageOf(text)
  return end === null ? (
    <p dir="auto" lang={language} className={styles.userText}>
      {text}
    </p>
  ) : (
    <LongText key={text} head={text.slice(0, end)} rest={text.slice(end)} language={language} />
  )
}

interface LongTextProps {
  head: string
  rest: string
  language: string | undefined
}

function LongText({ head, rest, language }: LongTextProps) {
  const t = useTranslations('chat.reading')
  const [isFolded, setFolded] = useState(true)
  const restId = useId()
  const button = useRef<HTMLButtonElement>(null)
  const restRef = useUntilFound(
    isFolded,
    useCallback(() => setFolded(false), []),
  )
  const toggle = () => {
    flushSync(() => setFolded(!isFolded))
    // The end of the text, where the button was, may have been far below.
    if (!isFolded) button.current?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <div className={styles.userText}>
      <p dir="auto" lang={language}>
        {head}
        {/* In the same line, which may be cut in a word. */}
        <span id={restId} ref={restRef}>
          {rest}
        </span>
      </p>
      <Button
        ref={button}
        variant="quiet"
        size="small"
        aria-expanded={!isFolded}
        aria-controls={restId}
        data-opens-to-read
        onClick={toggle}
      >
        {isFolded ? t('showAll') : t('showLess')}
      </Button>
    </div>
  )
}

/**
 * Hides an element, though not from the browser's search, which then calls back. React knows only a `hidden` that hides
 * from everything.
 */
function useUntilFound(isHidden: boolean, onFound: () => void) {
  const ref = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    const element = ref.current
    element?.addEventListener('beforematch', onFound)
    return () => element?.removeEventListener('beforematch', onFound)
  }, [onFound])
  // Before the browser lays out what is not to be seen.
  useLayoutEffect(() => {
    if (isHidden) ref.current?.setAttribute('hidden', 'until-found')
    else ref.current?.removeAttribute('hidden')
  }, [isHidden])
  return ref
}

/** Where a long text is cut, at the end of a line or a word if there is one; null if it is shown whole. */
export function foldedEnd(text: string): number | null {
  if (text.length <= WHOLE_LENGTH_MAX && nthLineEnd(text, WHOLE_LINE_COUNT_MAX) === null) return null
  const shown = text.slice(0, Math.min(nthLineEnd(text, FOLDED_LINE_COUNT) ?? text.length, FOLDED_LENGTH))
  if (text[shown.length] === '\n') return shown.length
  for (const boundary of ['\n', ' ']) {
    const end = shown.lastIndexOf(boundary)
    if (end > shown.length / 2) return end
  }
  return /[\uD800-\uDBFF]$/.test(shown) ? shown.length - 1 : shown.length
}

/** Null if there are fewer lines. */
function nthLineEnd(text: string, count: number): number | null {
  let end = -1
  for (let line = 0; line < count; line += 1) {
    end = text.indexOf('\n', end + 1)
    if (end === -1) return null
  }
  return end
}
