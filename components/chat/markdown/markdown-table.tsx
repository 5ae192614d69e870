import type { Tokens } from 'marked'
import { useTranslations } from 'next-intl'
import { memo, type RefObject, useEffect, useRef } from 'react'
import { element, inlineNodes } from './inline-tokens'
import styles from './markdown.module.css'
import { useIsWide } from './use-is-wide'

export function MarkdownTable({ table }: { table: Tokens.Table }) {
  const t = useTranslations('chat.reading')
  const scrollerRef = useRef<HTMLDivElement>(null)
  const isWide = useIsWide(scrollerRef)
  usePrintedWhole(scrollerRef)
  const row = (cells: readonly Tokens.TableCell[]) => <Row cells={cells} text={rowText(cells)} />
  return (
    <div
      ref={scrollerRef}
      className={styles.tableScroller}
      dir="auto"
      {...(isWide && { tabIndex: 0, role: 'group', 'aria-label': t('wideTable') })}
    >
      <table>
        <thead>{row(table.header)}</thead>
        {element('tbody', {}, table.rows.map(row))}
      </table>
    </div>
  )
}

/** What the narrowest paper leaves between its margins, A4, in CSS pixels: printed text is smaller than the page's. */
const PAPER_WIDTH_PX = 690

/**
 * Marks the table for printing if it fits on paper without breaking a word. The styles cannot know: words that may
 * break anywhere count for one letter when columns share the width, so that the longest column would take it all.
 */
function usePrintedWhole(scrollerRef: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const measure = () => {
      const table = scrollerRef.current?.querySelector('table')
      if (!table) return
      table.style.width = 'min-content'
      table.toggleAttribute('data-words-whole', table.offsetWidth <= PAPER_WIDTH_PX)
      table.style.width = ''
    }
    addEventListener('beforeprint', measure)
    return () => removeEventListener('beforeprint', measure)
  }, [scrollerRef])
}

interface RowProps {
  cells: readonly Tokens.TableCell[]
  /** Rows are parsed again while the table grows; a row with the same text is not rendered again. */
  text: string
}

const Row = memo(
  function Row({ cells }: RowProps) {
    return element('tr', {}, cells.map(cellNode))
  },
  (before, after) => before.text === after.text,
)

/**
 * The words of the header determine on which side the table begins: `auto` skips what has a `dir` of its own. So does
 * a cell without words, such as a number, begin on that side.
 */
function cellNode({ header, align, text, tokens }: Tokens.TableCell) {
  const className = align ? styles[align] : undefined
  const direction = !header && /\p{L}/u.test(text) ? { dir: 'auto' } : {}
  return element(header ? 'th' : 'td', { ...direction, className }, inlineNodes(tokens))
}

function rowText(cells: readonly Tokens.TableCell[]): string {
  return cells.map(({ text, align }) => `${align ?? ''}|${text}`).join('\n')
}
