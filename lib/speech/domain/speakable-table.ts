import { speakableInline } from './speakable-inline'

/** More columns than any readable table has. */
const COLUMN_COUNT_MAX = 50
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*){0,50}\|?\s*$/

/** Whether these two lines begin a table: a row, and below it the line of dashes with as many columns. */
export function beginsTable(line: string, next: string | undefined): boolean {
  if (next === undefined || !line.includes('|') || !next.includes('-') || !DIVIDER.test(next)) return false
  return cellsOf(line).length === cellsOf(next).length
}

/** Rows as sentences, each value after the name of its column: `coin: penny, value: 1 cent.` */
export function speakableTable(rows: readonly string[]): string[] {
  const [head = '', , ...body] = rows
  const names = cellsOf(head).map(speakableInline)
  if (body.length === 0) return [`${names.filter(Boolean).join(', ')}.`]
  return body.map(row => {
    const values = cellsOf(row).map(speakableInline)
    const said = values.flatMap((value, column) => {
      const name = names[column] ?? ''
      return value === '' ? [] : [name === '' ? value : `${name}: ${value}`]
    })
    return said.length === 0 ? '' : `${said.join(', ')}.`
  })
}

function cellsOf(row: string): string[] {
  const inner = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  return inner.split(/(?<!\\)\|/, COLUMN_COUNT_MAX).map(cell => cell.replaceAll('\\|', '|').trim())
}
