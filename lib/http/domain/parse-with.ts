import { type ZodSafeParseResult, type ZodType, z } from 'zod'

/**
 * `safeParse` for values that a stranger has made. Zod compares the `length` of whatever should be a text, and throws
 * where that is something that cannot be compared: `{"length": {"toString": 1}}`.
 */
export function parseWith<Schema extends ZodType>(
  schema: Schema,
  value: unknown,
  context?: z.core.ParseContext<z.core.$ZodIssue>,
): ZodSafeParseResult<z.output<Schema>> {
  try {
    return schema.safeParse(value, context)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return z.custom<z.output<Schema>>(() => false, 'an object has an impossible length').safeParse(value)
  }
}
