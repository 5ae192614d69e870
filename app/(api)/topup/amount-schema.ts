import { z } from 'zod'
import { parseDecimal } from '@/lib/money/decimal'

/** A JSON number or a decimal string, read exactly as it is written. */
export const positiveDecimal = z.union([z.number(), z.string()]).transform((value, context) => {
  const decimal = parseDecimal(String(value))
  if (decimal && decimal.coefficient > 0n) return decimal
  context.addIssue({ code: 'custom', message: 'expected a positive decimal number' })
  return z.NEVER
})
