import type { Tokens } from 'marked'
import { memo } from 'react'
import { InlineTokens } from './inline-tokens'
import styles from './markdown.module.css'
import { withOffsets } from './with-offsets'

export function MarkdownTable({ table }: { table: Tokens.Table }) {
  return (
    // Reachable by keyboard, because it scrolls sideways.
    <div className={styles.tableScroller} tabIndex={0}>
      <table dir="auto">
        <thead>
          <Row cells={table.header} text={rowText(table.header)} />
        </thead>
        <tbody>
          {withOffsets(table.rows, row => rowText(row).length).map(({ item, offset }) => (
            <Row key={offset} cells={item} text={rowText(item)} />
          ))}
        </tbody>
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
    return (
      <tr>
        {withOffsets(cells, ({ text }) => text.length).map(({ item, offset }) => {
          const Cell = item.header ? 'th' : 'td'
          return (
            <Cell key={offset} dir="auto" className={item.align ? styles[item.align] : undefined}>
              <InlineTokens tokens={item.tokens} />
            </Cell>
          )
        })}
      </tr>
    )
  },
  (before, after) => before.text === after.text,
)

function rowText(cells: readonly Tokens.TableCell[]): string {
  return cells.map(({ text, align }) => `${align ?? ''}|${text}`).join('\n')
}
