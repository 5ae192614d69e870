import { useTranslations } from 'next-intl'
import { memo, useMemo } from 'react'
import { CopyButton } from '@/components/ui/copy-button'
import styles from './code-block.module.css'
import type { CodeSpan } from './code-spans'
import { scopeClass } from './scope-class'
import { useHighlight } from './use-highlight'
import { type Placed, withOffsets } from './with-offsets'

interface CodeBlockProps {
  code: string
  /** The word after the fence, as written; empty when there is none. */
  language: string
  finished: boolean
}

/** Plain code is laid out in pieces of this many lines, so that a growing block costs its last piece only. */
const LINES_PER_PIECE = 40
/** A language is a word; anything longer is not shown as one. */
const LANGUAGE_LENGTH_MAX = 24

export function CodeBlock({ code, language, finished }: CodeBlockProps) {
  const t = useTranslations('chat')
  const name = (language.split(/\s/, 1)[0] ?? '').toLowerCase().slice(0, LANGUAGE_LENGTH_MAX)
  const spans = useHighlight(code, name, finished)
  return (
    <figure className={styles.block}>
      <figcaption className={styles.head}>
        <span className={styles.language}>{name || t('code')}</span>
        <CopyButton text={code} label={t('copyCode')} size="small" />
      </figcaption>
      {/* Reachable by keyboard, because it scrolls sideways. */}
      <pre className={styles.code} tabIndex={0}>
        <code>{spans ? <ColouredCode spans={spans} /> : <PlainCode code={code} />}</code>
      </pre>
    </figure>
  )
}

function PlainCode({ code }: { code: string }) {
  const pieces = useMemo(() => splitIntoPieces(code), [code])
  return pieces.map(({ item, offset }) => <Piece key={offset} text={item} />)
}

const Piece = memo(function Piece({ text }: { text: string }) {
  return <span className={styles.piece}>{text}</span>
})

const ColouredCode = memo(function ColouredCode({ spans }: { spans: readonly CodeSpan[] }) {
  return withOffsets(spans, ({ text }) => text.length).map(({ item, offset }) =>
    item.scope === null ? (
      item.text
    ) : (
      <span key={offset} className={scopeClass(item.scope)}>
        {item.text}
      </span>
    ),
  )
})

function splitIntoPieces(code: string): Placed<string>[] {
  const lines = code.split('\n')
  const pieces: string[] = []
  for (let start = 0; start < lines.length; start += LINES_PER_PIECE) {
    pieces.push(lines.slice(start, start + LINES_PER_PIECE).join('\n'))
  }
  return withOffsets(pieces, piece => piece.length)
}
