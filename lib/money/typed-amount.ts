export type AmountProblem = 'malformed' | 'too_small' | 'too_large'

type ReadAmount =
  | { amountUsd: number }
  | { problem: AmountProblem }
  /** The possible meanings of an ambiguous amount; the person is asked, since money is never guessed. */
  | { readingsUsd: readonly number[] }

interface Limits {
  min: number
  max: number
  /** Digits after the decimal mark; two (cents) by default. */
  digitsMax?: number
  /** The amount is in cents, which a dollar sign would contradict. */
  inCents?: boolean
}

const CENT_DIGITS = 2

const CURRENCY = /^(?:us ?)?\$|^usd|(?:us ?)?\$$|usd$/i

/** A whole number, with or without groups of three digits. */
const WHOLE = /^(?:\d+|[1-9]\d{0,2}(?:([ '’.,])\d{3})(?:\1\d{3})*)$/

const DECIMAL = /^(.*)([.,])(\d*)$/

/** A single mark before three digits: a thousands separator to some, a decimal mark to others. */
const ONE_MARK = /^[1-9]\d{0,2}([.,])\d{3}$/

/** Parses dollars as typed in the person's language, and checks them against the method's limits. */
export function parseAmount(text: string, limits: Limits, locale: string): ReadAmount {
  // NFKC also turns every kind of space into a plain one.
  const bare = text.normalize('NFKC').trim()
  const written = limits.inCents ? bare : bare.replace(CURRENCY, '').trim()
  if (/^[-−]\s*\d/.test(written)) return { problem: 'too_small' }
  const whole = readWhole(written)
  const decimal = readDecimal(written, limits.digitsMax ?? CENT_DIGITS)
  const mark = ONE_MARK.exec(written)?.[1]
  if (mark === undefined || mark === groupMark(locale)) return within(limits, whole ?? decimal)
  const readings = [decimal, whole].filter(reading => reading !== null)
  const possible = readings.filter(usd => usd >= limits.min && usd <= limits.max)
  return possible.length > 0 ? { readingsUsd: possible } : within(limits, readings[0] ?? null)
}

/** The same for a field that asks nothing: null unless the amount has one meaning within the limits. */
export function readAmount(text: string, limits: Limits, locale: string): number | null {
  const read = parseAmount(text, limits, locale)
  return 'amountUsd' in read ? read.amountUsd : null
}

/** Formats an amount so that `parseAmount` reads it back. */
export function amountToText(usd: number, locale: string, digitsMax = CENT_DIGITS): string {
  const text = new Intl.NumberFormat(locale, {
    useGrouping: false,
    minimumFractionDigits: Number.isInteger(usd) ? 0 : CENT_DIGITS,
    maximumFractionDigits: digitsMax,
  }).format(usd)
  return ONE_MARK.test(text) ? `${text}0` : text
}

/** The amount in an address (`?amount=2.50`), the same in every language; null if there is none. */
export function amountFromAddress(value: string | null): number | null {
  return value !== null && /^(?=.*[1-9])\d{1,6}(\.\d{1,2})?$/.test(value) ? Number(value) : null
}

function within({ min, max }: Limits, usd: number | null): ReadAmount {
  if (usd === null) return { problem: 'malformed' }
  if (usd < min) return { problem: 'too_small' }
  return usd > max ? { problem: 'too_large' } : { amountUsd: usd }
}

function readWhole(text: string): number | null {
  return WHOLE.test(text) ? Number(text.replace(/\D/g, '')) : null
}

/** Trailing zeros are ignored. */
function readDecimal(text: string, digitsMax: number): number | null {
  const [, before = '', mark = '', after = ''] = DECIMAL.exec(text) ?? []
  const digits = after.replace(/0+$/, '')
  if (mark === '' || before + after === '' || digits.length > digitsMax) return null
  const whole = before === '' ? 0 : before.includes(mark) ? null : readWhole(before)
  return whole === null ? null : Number(`${whole}.${digits}`)
}

function groupMark(locale: string): string | undefined {
  return new Intl.NumberFormat(locale).formatToParts(1_000_000).find(({ type }) => type === 'group')?.value
}
