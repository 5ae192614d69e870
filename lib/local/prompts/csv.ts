/** Far more than any collection of prompts has; limits what a file can make us store. */
const ROW_COUNT_MAX = 50_000

/**
 * RFC 4180, read leniently: any line ends; quotes inside an unquoted field are kept; a quote that is never closed ends
 * with the text.
 */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let position = text.startsWith('\uFEFF') ? 1 : 0
  while (position < text.length && rows.length < ROW_COUNT_MAX) {
    const { field, end } = text[position] === '"' ? readQuoted(text, position) : readBare(text, position)
    row.push(field)
    position = end
    if (text[position] === ',') {
      position += 1
      // A comma at the very end is followed by an empty field.
      if (position < text.length) continue
      row.push('')
    }
    if (text[position] === '\r') position += 1
    if (text[position] === '\n') position += 1
    rows.push(row)
    row = []
  }
  return rows
}

function readBare(text: string, start: number) {
  const length = text.slice(start).search(/[,\r\n]/)
  const end = length < 0 ? text.length : start + length
  return { field: text.slice(start, end), end }
}

function readQuoted(text: string, start: number) {
  const parts: string[] = []
  let from = start + 1
  for (;;) {
    const quote = text.indexOf('"', from)
    if (quote < 0) return { field: `${parts.join('')}${text.slice(from)}`, end: text.length }
    parts.push(text.slice(from, quote))
    if (text[quote + 1] !== '"') {
      // Anything between the closing quote and the comma is ignored.
      const { end } = readBare(text, quote + 1)
      return { field: parts.join(''), end }
    }
    parts.push('"')
    from = quote + 2
  }
}

export function writeCsv(rows: readonly (readonly string[])[]): string {
  return rows.map(row => `${row.map(field => `"${field.replaceAll('"', '""')}"`).join(',')}\r\n`).join('')
}
