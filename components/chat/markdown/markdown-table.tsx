import type { Tokens } from 'marked'
import { memo } from 'react'
import { element, inlineNodes } from './inline-tokens'
import styles from './markdown.module.css'

export function MarkdownTable({ table }: { table: Tokens.Table }) {
  const row = (cells: readonly Tokens.TableCell[]) => <Row cells={cells} text={rowText(cells)} />
  return (
    // It scrolls sideways, so it must be reachable by keyboard.
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
  /** Rows are parsed again while the table grows; a row with the same text is not rendered again. */
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
