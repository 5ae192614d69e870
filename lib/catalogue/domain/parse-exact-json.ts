/**
 * JSON whose numbers arrive as the text that stood there. A price goes through no binary fraction on
 * its way to a Decimal: `1.50e-7` stays `"1.50e-7"`.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? (context?.source ?? String(value)) : value,
  )
}
