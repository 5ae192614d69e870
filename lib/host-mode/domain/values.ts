import { z } from 'zod'
import { isStorableText } from '@/lib/http/domain/storable-text'
import { type Decimal, formatDecimal, parseDecimal } from '@/lib/money/decimal'

/**
 * How values travel between deployments as JSON: amounts and decimals as text, since JSON has no bigint, and times in
 * ISO 8601. Each schema both reads and writes (zod's codecs), so that both ends share one definition.
 */

/** Far more digits than 64 bits have; the verbs check the bounds of their input. */
const AMOUNT_PATTERN = /^-?\d{1,20}$/

const amountText = z.string().regex(AMOUNT_PATTERN)

/** Nano-dollars in an input; the verb itself refuses a negative amount. */
export const wireAmount = z.codec(amountText, z.bigint(), { decode: BigInt, encode: String })

/** Nano-dollars in an output, which are never negative. */
export const wireAmountFound = z.codec(amountText, z.bigint().nonnegative(), {
  decode: BigInt,
  encode: String,
})

export const wireTime = z.codec(z.iso.datetime(), z.date(), {
  decode: text => new Date(text),
  encode: time => time.toISOString(),
})

/** Text that no database can store is refused as such, rather than causing an error of the database. */
const storableText = z.string().refine(isStorableText, 'expected text that can be stored')

/** Ids, hashes, labels, cursors. */
export const wireText = storableText.max(1_000)

/** Prices, memos, attribution. */
export const wireRecord = z
  .record(storableText.max(200), storableText.max(2_000))
  .refine(record => Object.keys(record).length <= 100, 'too many entries')

export const wireCount = z.number().int().nonnegative()

/** The input of a verb without parameters. */
export const wireNothing = z.codec(z.object({}), z.void(), { decode: () => undefined, encode: () => ({}) })

/** The longest text that `parseDecimal` reads. */
const DECIMAL_TEXT_LENGTH_MAX = 64
/** Bounds the work of every sum; no currency or rate has more digits. */
const DECIMAL_SCALE_MAX = 40

export const decimalValue: z.ZodType<Decimal, Decimal> = z.object({
  coefficient: z.bigint(),
  scale: z.number().int().min(0).max(DECIMAL_SCALE_MAX),
})

/** An exact decimal of any sign; the verb itself refuses a wrong one. */
export const wireDecimal = z.codec(z.string().max(DECIMAL_TEXT_LENGTH_MAX), decimalValue, {
  decode: (text, context) => {
    const decimal = parseDecimal(text)
    if (decimal) return decimal
    context.issues.push({ code: 'custom', message: 'expected a decimal', input: text })
    return z.NEVER
  },
  encode: formatDecimal,
})

/** In an output: a rate, or an amount to pay. */
export const wireDecimalAboveZero = wireDecimal.refine(
  ({ coefficient }) => coefficient > 0n,
  'expected more than zero',
)

/** In an output: a fraction from 0 to 1. */
export const wireFraction = wireDecimal.refine(
  ({ coefficient, scale }) => coefficient >= 0n && coefficient <= 10n ** BigInt(scale),
  'expected from 0 to 1',
)
