/** Digits that a ledger amount can have: a nano-dollar is the ninth. */
const FRACTION_DIGITS_MAX = 9
/** Digits of a balance: a hundredth of a cent still moves when an answer is paid. */
const BALANCE_FRACTION_DIGITS_MAX = 4
const CENT_DIGITS = 2

/** Dollars exactly, cents at least and as many digits more as the amount needs: `$1.50`, `$0.00042`. */
export function formatMoney(usd: number | string, locale: string): string {
  return formatter(locale, FRACTION_DIGITS_MAX).format(toNumeric(usd))
}

/**
 * A balance in dollars, rounded down to a hundredth of a cent: it never promises more than is there.
 */
export function formatBalance(usd: number | string, locale: string): string {
  return formatter(locale, BALANCE_FRACTION_DIGITS_MAX, 'trunc').format(toNumeric(usd))
}

/** An amount for comparison, such as an average per message: two digits that count, cents at least. */
export function formatApproximateMoney(usd: number, locale: string): string {
  const leadingZeros = usd > 0 ? Math.max(0, -Math.floor(Math.log10(usd)) - 1) : 0
  const digits = Math.min(Math.max(CENT_DIGITS, leadingZeros + CENT_DIGITS), FRACTION_DIGITS_MAX)
  return formatter(locale, digits).format(toNumeric(usd))
}

const DOLLARS = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const

const formatters = new Map<string, Intl.NumberFormat>()

/** Building a formatter costs more than using it a hundred times. */
function formatter(
  locale: string,
  maximumFractionDigits: number,
  roundingMode: 'halfExpand' | 'trunc' = 'halfExpand',
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

/** Intl reads decimal text exactly; a number goes through its shortest text. Anything else is 0. */
function toNumeric(usd: number | string): Intl.StringNumericLiteral | number {
  return typeof usd === 'number' ? (Number.isFinite(usd) ? usd : 0) : isNumeric(usd) ? usd : 0
}

function isNumeric(text: string): text is `${number}` {
  return /^-?\d+(\.\d+)?$/.test(text)
}
