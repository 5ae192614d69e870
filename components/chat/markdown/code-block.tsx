import { Download, Workflow, WrapText } from 'lucide'
import { useLocale, useTranslations } from 'next-intl'
import {
  memo,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { CopyButton } from '@/components/ui/copy-button'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { lazyPart } from '@/components/ui/lazy-part'
import { saveFile } from '@/components/ui/save-file'
import { DIAGRAM_LENGTH_MAX } from '@/lib/diagrams/diagram-frame'
import { whenReadable } from '@/lib/exchange/client/show-pace'
import { whenIdle } from '@/lib/local/when-idle'
import { HasButtons, onceNear } from '../use-near'
import styles from './code-block.module.css'
import { codeFileName } from './code-file-name'
import type { CodeSpan } from './code-spans'
import { useIsWide } from './use-is-wide'

/** Loaded when a diagram is first opened. */
const Diagram = lazyPart(async () => (await import('./diagram')).Diagram, 'with-error')

interface CodeBlockProps {
  code: string
  /** The info string after the fence, as written; empty if there is none. */
  language: string
  finished: boolean
}

/** Plain code is rendered in pieces of this many lines, so that a growing block only renders its last piece. */
const LINES_PER_PIECE = 40
/** A longer word is no language, and is not shown as one. */
const LANGUAGE_LENGTH_MAX = 24

export function CodeBlock({ code, language, finished }: CodeBlockProps) {
  const name = (language.split(/\s/, 1)[0] ?? '').toLowerCase().slice(0, LANGUAGE_LENGTH_MAX)
  const t = useTranslations('chat')
  const ref = useRef<HTMLElement>(null)
  const spans = useHighlight(ref, code, name, finished)
  const [isWrapped, setWrapped] = useState(false)
  const [isDrawn, setDrawn] = useState(false)
  const isDrawable = finished && name === 'mermaid' && code.length <= DIAGRAM_LENGTH_MAX
  const codeRef = useRef(code)
  useLayoutEffect(() => {
    codeRef.current = code
  }, [code])
  const title = name || t('code')
  return (
    // Without a name of its own it has the caption's (HTML-AAM), in which the names of all buttons would be read again.
    <figure ref={ref} className={styles.block} aria-label={title}>
      <CodeHead
        title={title}
        language={language}
        codeRef={codeRef}
        isWrapped={isWrapped}
        onWrap={setWrapped}
        isDrawn={isDrawn}
        onDraw={isDrawable ? setDrawn : null}
      />
      {isDrawable && isDrawn && (
        <div className={styles.diagramPart}>
          <Diagram key={code} source={code} />
        </div>
      )}
      <Scroller isWrapped={isWrapped}>
        {spans ? <ColouredCode spans={spans} /> : <PlainCode code={code} />}
      </Scroller>
    </figure>
  )
}

interface CodeHeadProps {
  title: string
  language: string
  /** A ref, read on a click, so that the head does not render again for every word of the code. */
  codeRef: RefObject<string>
  isWrapped: boolean
  onWrap: (isWrapped: boolean) => void
  isDrawn: boolean
  /** Null unless the code is a diagram. */
  onDraw: ((isDrawn: boolean) => void) | null
}

const CodeHead = memo(function CodeHead(props: CodeHeadProps) {
  const { title, language, codeRef, isWrapped, onWrap, isDrawn, onDraw } = props
  const t = useTranslations('chat')
  const locale = useLocale()
  const hasButtons = useContext(HasButtons)
  const fileName = codeFileName(language)
  const save = () => saveFile(new Blob([codeRef.current], { type: 'text/plain' }), fileName)
  return (
    // Ours, in whatever language the answer is.
    <figcaption className={styles.head} lang={locale}>
      <span className={styles.language}>{title}</span>
      {hasButtons && (
        <span className={styles.actions}>
          {onDraw && (
            <IconButton
              size="small"
              label={t('reading.drawDiagram')}
              icon={<Icon icon={Workflow} size={16} />}
              aria-pressed={isDrawn}
              data-opens-to-read
              onClick={() => onDraw(!isDrawn)}
            />
          )}
          <IconButton
            size="small"
            label={t('reading.wrapCode')}
            icon={<Icon icon={WrapText} size={16} />}
            aria-pressed={isWrapped}
            onClick={() => onWrap(!isWrapped)}
          />
          <IconButton
            size="small"
            label={t('reading.saveCode', { name: fileName })}
            icon={<Icon icon={Download} size={16} />}
            onClick={save}
          />
          <CopyButton text={() => codeRef.current} label={t('copyCode')} size="small" />
        </span>
      )}
    </figcaption>
  )
})

function Scroller({ isWrapped, children }: { isWrapped: boolean; children: ReactNode }) {
  const t = useTranslations('chat.reading')
  const ref = useRef<HTMLPreElement>(null)
  const isWide = useIsWide(ref)
  return (
    <pre
      ref={ref}
      dir="ltr"
      className={styles.code}
      data-wrapped={isWrapped}
      {...(isWide && { tabIndex: 0, role: 'group', 'aria-label': t('wideCode') })}
    >
      {/* Stays, and is as wide as the code, so that its size can be observed. */}
      <span className={styles.width}>{children}</span>
    </pre>
  )
}

function PlainCode({ code }: { code: string }) {
  const pieces = useMemo(() => splitIntoPieces(code), [code])
  return <code>{pieces.map(pieceNode)}</code>
}

const pieceNode = (text: string, index: number) => <Piece key={index} text={text} />

const Piece = memo(function Piece({ text }: { text: string }) {
  return <span className={styles.piece}>{text}</span>
})

/** Built without React, which would use more memory for thousands of words than the page does. */
const ColouredCode = memo(function ColouredCode({ spans }: { spans: readonly CodeSpan[] }) {
  const ref = useRef<HTMLElement>(null)
  useLayoutEffect(() => ref.current?.replaceChildren(...spans.map(spanNode)), [spans])
  return <code ref={ref} />
})

function spanNode({ text, scope }: CodeSpan): Node | string {
  if (scope === null) return text
  const span = document.createElement('span')
  span.className = scopeClass(scope) ?? ''
  span.textContent = text
  return span
}

function splitIntoPieces(code: string): string[] {
  const lines = code.split('\n')
  const pieces: string[] = []
  for (let start = 0; start < lines.length; start += LINES_PER_PIECE) {
    const isLast = start + LINES_PER_PIECE >= lines.length
    pieces.push(`${lines.slice(start, start + LINES_PER_PIECE).join('\n')}${isLast ? '' : '\n'}`)
  }
  return pieces
}

/** highlight.js has scopes such as `title.function.invoke`; the first word determines the colour. */
function scopeClass(scope: string): string | undefined {
  switch (scope.split('.', 1)[0]) {
    case 'comment':
    case 'quote':
    case 'deletion':
      return styles.comment
    case 'keyword':
    case 'selector-tag':
    case 'tag':
    case 'meta':
      return styles.keyword
    case 'string':
    case 'regexp':
    case 'addition':
    case 'char':
      return styles.string
    case 'number':
    case 'literal':
    case 'symbol':
    case 'bullet':
      return styles.number
    case 'title':
    case 'name':
    case 'attr':
    case 'attribute':
    case 'property':
    case 'built_in':
    case 'type':
    case 'class':
    case 'section':
      return styles.name
    default:
      return undefined
  }
}

/** Highlighting longer code would block the page for more than a frame or two. */
const HIGHLIGHT_LENGTH_MAX = 16_000
/** Highlighting waits for an idle page, but no longer than this. */
const IDLE_TIMEOUT_MS = 1_000

/** Set once it has loaded, since printing cannot wait for it. */
let highlighter: typeof import('./highlight') | null = null

/**
 * The spans of a finished code block once it has been near the viewport, the highlighter has loaded and the page is
 * idle; null until then. Code that scrolls past faster than it can be read is highlighted when scrolling stops.
 */
function useHighlight(
  ref: RefObject<Element | null>,
  code: string,
  language: string,
  finished: boolean,
): readonly CodeSpan[] | null {
  const [result, setResult] = useState<{ code: string; spans: readonly CodeSpan[] | null } | null>(null)
  // In every frame the browser checks the position of each observed element, so few are observed.
  const isWorthWaiting = useContext(HasButtons)
  const wanted = finished && language !== '' && code.length <= HIGHLIGHT_LENGTH_MAX

  useEffect(() => {
    const block = ref.current
    if (!wanted || !block) return
    let current = true
    const cancels: (() => void)[] = []
    const begin = () => cancels.push(whenIdle(colour, IDLE_TIMEOUT_MS))
    const colour = async () => {
      highlighter = await import('./highlight')
      show()
    }
    const show = () => {
      if (!current || !highlighter) return
      setResult({ code, spans: highlighter.highlightCode(code, language) })
      end()
    }
    const showToPrinter = () => flushSync(show)
    const end = () => {
      current = false
      for (const cancel of cancels) cancel()
      removeEventListener('beforeprint', showToPrinter)
    }
    addEventListener('beforeprint', showToPrinter)
    // Both may call back synchronously.
    if (isWorthWaiting) cancels.push(whenReadable(() => cancels.push(onceNear(block, begin))))
    return end
  }, [ref, wanted, isWorthWaiting, code, language])

  return wanted && result?.code === code ? result.spans : null
}
