import { isObject } from '@/lib/http/domain/is-object'
import { formatDecimal, parseDecimal } from '@/lib/money/decimal'

/** What the server answered: pictures as data URLs or addresses, and what they cost. */
export interface Drawing {
  readonly pictureUrls: readonly string[]
  /** Decimal dollars; null when the answer tells no cost. */
  readonly costUsd: string | null
  readonly balanceUsd: string | null
  readonly inputTokenCount: number
  readonly outputTokenCount: number
  readonly estimated: boolean
}

/** The first characters of each format's base64, by the bytes that its files begin with. */
const TYPES_BY_BEGINNING: readonly (readonly [string, string])[] = [
  ['iVBORw', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['R0lGOD', 'image/gif'],
  ['PHN2Zy', 'image/svg+xml'],
  ['PD94bWw', 'image/svg+xml'],
]

/** Null when the body is no answer to an image request. */
export function readDrawing(body: unknown): Drawing | null {
  if (!isObject(body) || !Array.isArray(body.data)) return null
  const usage = isObject(body.usage) ? body.usage : {}
  return {
    pictureUrls: body.data.flatMap(readPictureUrl),
    costUsd: readDecimal(usage.cost),
    balanceUsd: readDecimal(usage.balance_usd),
    inputTokenCount: readCount(usage.input_tokens),
    outputTokenCount: readCount(usage.output_tokens),
    estimated: usage.estimated === true,
  }
}

function readPictureUrl(entry: unknown): string[] {
  if (!isObject(entry)) return []
  const { b64_json: bytes, url } = entry
  if (typeof bytes === 'string' && bytes !== '') return [`data:${typeOf(bytes)};base64,${bytes}`]
  return typeof url === 'string' && /^(https?:|data:image\/)/i.test(url) ? [url] : []
}

function typeOf(base64: string): string {
  return TYPES_BY_BEGINNING.find(([beginning]) => base64.startsWith(beginning))?.[1] ?? 'image/png'
}

/** JSON numbers such as 4.2e-7 come out in plain notation. */
function readDecimal(value: unknown): string | null {
  if (typeof value !== 'number') return null
  const decimal = parseDecimal(String(value))
  return decimal && formatDecimal(decimal)
}

function readCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
}
