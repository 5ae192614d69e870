import type { Tokens } from 'marked'
import { memo } from 'react'
import { element, inlineNodes } from './inline-tokens'
import styles from './markdown.module.css'

export function MarkdownTable({ table }: { table: Tokens.Table }) {
  const row = (cells: readonly Tokens.TableCell[]) => <Row cells={cells} text={rowText(cells)} />
  return (
    // Reachable by keyboard, because it scrolls sideways.
    <div className={styles.tableScroller} tabIndex={0}>
      <table dir="auto">
        <thead>{row(table.header)}</thead>
        {element('tbody', {}, table.rows.map(row))}
      </table>
    </div>
  )
}

interface RowProps {
  cells: readonly Tokens.TableCell[]
  /** Rows are read anew while the table grows; one whose text is the same is not rendered again. */
  text: string
}

const Row = memo(
  function Row({ cells }: RowProps) {
    return element('tr', {}, cells.map(cellNode))
  },
  (before, after) => before.text === after.text,
)

function cellNode({ header, align, tokens }: Tokens.TableCell) {
  const className = align ? styles[align] : undefined
  return element(header ? 'th' : 'td', { dir: 'auto', className }, inlineNodes(tokens))
}

function rowText(cells: readonly Tokens.TableCell[]): string {
  return cells.map(({ text, align }) => `${align ?? ''}|${text}`).join('\n')
}
