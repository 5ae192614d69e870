import { z } from 'zod'
import { type Decimal, formatDecimal, parseDecimal } from '@/lib/money/decimal'

/** As long as `parseDecimal` reads. */
const TEXT_LENGTH_MAX = 64
/** Below this a scale bounds the work of every sum; no currency or rate has so many digits. */
const SCALE_MAX = 40

const decimalValue = z.object({ coefficient: z.bigint(), scale: z.number().int().min(0).max(SCALE_MAX) })

/** An exact decimal travels as text; what is asked may be of any sign, the verb refuses it in its words. */
export const wireDecimal = z.codec(z.string().max(TEXT_LENGTH_MAX), decimalValue, {
  decode: (text, context) => {
    const decimal = parseDecimal(text)
    if (decimal) return decimal
    context.issues.push({ code: 'custom', message: 'expected a decimal', input: text })
    return z.NEVER
  },
  encode: formatDecimal,
})

/** In an answer: a rate, or an amount that is to be paid. */
export const wireDecimalAboveZero = wireDecimal.refine(isAboveZero, 'expected more than zero')

/** In an answer: a part from nothing to all. */
export const wireFraction = wireDecimal.refine(
  ({ coefficient, scale }) => coefficient >= 0n && coefficient <= 10n ** BigInt(scale),
  'expected from 0 to 1',
)

function isAboveZero({ coefficient }: Decimal): boolean {
  return coefficient > 0n
}
