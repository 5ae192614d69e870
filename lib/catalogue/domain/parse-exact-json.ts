/**
 * Parses JSON, keeping numbers as their source text, so that a price becomes a Decimal without passing through a binary
 * fraction: `1.50e-7` stays `"1.50e-7"`. Undefined if the text is not JSON, or nested too deeply.
 */
export function parseExactJson(text: string): unknown {
  try {
    return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' ? (context?.source ?? String(value)) : value,
    )
  } catch {
    return undefined
  }
}
