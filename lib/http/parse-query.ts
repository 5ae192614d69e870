import 'server-only'
import type { ZodType, z } from 'zod'
import { ApiError } from './api-error'

/** Validates a query string; an empty parameter counts as not given. @throws ApiError invalid_request naming it */
export function parseQuery<Schema extends ZodType>(
  parameters: URLSearchParams,
  schema: Schema,
): z.output<Schema> {
  const given = Object.fromEntries([...parameters].filter(([, value]) => value !== ''))
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const param = issue?.path.join('.') || undefined
  throw new ApiError(
    'invalid_request',
    `${param ?? 'The query'} is not valid: ${issue?.message ?? 'unexpected value'}.`,
    {
      param,
    },
  )
}
