/** The decimal places of a ledger amount: a nano-dollar is the ninth. */
const FRACTION_DIGITS_MAX = 9
const CENT_DIGITS = 2

/** The exact amount in dollars, with two decimal places and as many more as it needs: `$1.50`, `$0.00042`. */
export function formatMoney(usd: number | string, locale: string): string {
  return formatter(locale, FRACTION_DIGITS_MAX).format(toNumeric(usd))
}

type RoundingMode = 'halfExpand' | 'ceil' | 'floor'

/** An amount as people say it. The page translates the word for cents. */
export type RoundMoney =
  | { readonly unit: 'dollar'; readonly text: string }
  | { readonly unit: 'cent'; readonly text: string; readonly count: number }

const CENTS_PER_DOLLAR = 100
const SIGNIFICANT_DIGITS = 2

/**
 * Rounds to two significant digits, in cents below a dollar: `0.0044`, `14`. Nobody reads four zeros after a point.
 * From a dollar up, and for zero, in dollars and cents. A required amount is rounded up (`ceil`) and an available one
 * down (`floor`), so that the two never look alike.
 */
export function roundMoney(
  usd: number | string,
  locale: string,
  rounding: RoundingMode = 'halfExpand',
): RoundMoney {
  const cents = centsOf(usd)
  const count = Number(centFormatter('en', rounding).format(cents))
  return count === 0 || Math.abs(count) >= CENTS_PER_DOLLAR
    ? { unit: 'dollar', text: formatter(locale, CENT_DIGITS, rounding).format(toNumeric(usd)) }
    : { unit: 'cent', text: centFormatter(locale, rounding).format(cents), count }
}

/** A balance, rounded down, so that it never promises more than there is. Less than a cent is not shown as nothing. */
export function roundBalance(usd: number | string, locale: string): RoundMoney {
  const isBelowCent = Number(usd) > 0 && Number(usd) * CENTS_PER_DOLLAR < 1
  return isBelowCent
    ? roundMoney(usd, locale, 'floor')
    : { unit: 'dollar', text: formatter(locale, CENT_DIGITS, 'floor').format(toNumeric(usd)) }
}

/** An amount for comparison, such as an average per message: two significant digits, and at least cents. */
export function formatApproximateMoney(usd: number, locale: string): string {
  const leadingZeros = usd > 0 ? Math.max(0, -Math.floor(Math.log10(usd)) - 1) : 0
  const digits = Math.min(Math.max(CENT_DIGITS, leadingZeros + CENT_DIGITS), FRACTION_DIGITS_MAX)
  return formatter(locale, digits).format(toNumeric(usd))
}

const cents = new Map<string, Intl.NumberFormat>()

function centFormatter(locale: string, roundingMode: RoundingMode): Intl.NumberFormat {
  const key = `${locale} ${roundingMode}`
  const known = cents.get(key)
  if (known) return known
  const made = new Intl.NumberFormat(locale, {
    maximumSignificantDigits: SIGNIFICANT_DIGITS,
    useGrouping: false,
    roundingMode,
  })
  cents.set(key, made)
  return made
}

/**
 * Moves the point by two places in the text itself, because 0.07 times a hundred is not exactly 7 in floating point.
 */
function centsOf(usd: number | string): Intl.StringNumericLiteral | number {
  const [digits = '', exponent = '0'] = String(toNumeric(usd)).split('e')
  const text = `${digits}e${Number(exponent) + CENT_DIGITS}`
  return isNumericWithExponent(text) ? text : 0
}

function isNumericWithExponent(text: string): text is `${number}` {
  return /^-?\d+(\.\d+)?e-?\d+$/.test(text)
}

const DOLLARS = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const

const formatters = new Map<string, Intl.NumberFormat>()

/** Creating a formatter costs more than using it a hundred times. */
function formatter(
  locale: string,
  maximumFractionDigits: number,
  roundingMode: RoundingMode = 'halfExpand',
): Intl.NumberFormat {
  const key = `${locale} ${maximumFractionDigits} ${roundingMode}`
  const known = formatters.get(key)
  if (known) return known
  const made = new Intl.NumberFormat(locale, {
    ...DOLLARS,
    minimumFractionDigits: CENT_DIGITS,
    maximumFractionDigits,
    roundingMode,
  })
  formatters.set(key, made)
  return made
}

/** Intl reads decimal text exactly; a number is converted to its shortest text. Anything else becomes 0. */
function toNumeric(usd: number | string): Intl.StringNumericLiteral | number {
  return typeof usd === 'number' ? (Number.isFinite(usd) ? usd : 0) : isNumeric(usd) ? usd : 0
}

function isNumeric(text: string): text is `${number}` {
  return /^-?\d+(\.\d+)?$/.test(text)
}
