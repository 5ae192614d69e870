import { type ZodObject, z } from 'zod'
import { MODEL_ID_LENGTH_MAX } from '@/lib/catalogue/domain/model'
import { ApiError, invalidField } from '@/lib/http/api-error'
import { fieldsOf, isObject } from '@/lib/http/domain/is-object'
import { parseWith } from '@/lib/http/domain/parse-with'

/** Above every context window known. */
export const TOKEN_COUNT_MAX = 10_000_000
export const tokenCount = z.int().min(1).max(TOKEN_COUNT_MAX)
/** For messages, parts or tools: far more than any real conversation has; bounds the work of validating. */
export const LIST_LENGTH_MAX = 10_000
/** OpenAI's limit of answers to one question. */
export const CHOICE_COUNT_MAX = 128

/** The id of a model, as the catalogue lists it. */
export const modelId = z.string().min(1).max(MODEL_ID_LENGTH_MAX)

/** A field that is passed on unread, since it costs nothing by itself. */
export const free = z.unknown().optional()

/** More names would not fit into a header. */
const IGNORED_FIELD_COUNT_MAX = 32

/**
 * Validation stops at the first fault. Each one takes as long as a hundred valid parts, and a quarter of a megabyte
 * of `0,0,…` in place of parts blocked the process for half a second.
 */
const TO_THE_FIRST_FAULT: z.core.ParseContextInternal<z.core.$ZodIssue> = { abortEarly: true }

/**
 * Reads a body by a closed contract: only its fields are passed on. Others are left out and named. Those in `refused`
 * could cost, or would change what is asked; each entry says what to do instead.
 *
 * @throws ApiError invalid_request naming the field
 */
export function readContract<Schema extends ZodObject>(
  body: unknown,
  schema: Schema,
  {
    refused,
    meaningless = [],
  }: { refused: Readonly<Record<string, string>>; meaningless?: readonly string[] },
): { request: z.output<Schema>; ignoredFields: string[] } {
  const fields = fieldsOf(body)
  for (const [name, instead] of Object.entries(refused))
    if (fields[name] != null) throw notHere(name, instead)
  const parsed = parseWith(schema, body, TO_THE_FIRST_FAULT)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const fault = issue && innermost(issue)
    throw invalidField(fault?.path.join('.') ?? '', fault?.message)
  }
  const ignoredFields = unknownFields(fields, parsed.data)
    .filter(name => !meaningless.includes(name))
    .slice(0, IGNORED_FIELD_COUNT_MAX)
  return { request: parsed.data, ignoredFields: ignoredFields.map(headerSafe) }
}

/** For what other sites may offer, and this one does not. */
export function notHere(param: string, reason: string): ApiError {
  return new ApiError('invalid_request', `${param} is not valid here: ${reason}.`, { param })
}

/** Also inside objects that have a contract, so that a misspelt `provider.zdr` is noticed. */
function unknownFields(given: object, kept: object, within = ''): string[] {
  const parts = new Map<string, unknown>(Object.entries(kept))
  return Object.entries(given).flatMap(([name, value]) => {
    const part = parts.get(name)
    if (!parts.has(name)) return [within + name]
    return part !== value && isObject(value) && isObject(part)
      ? unknownFields(value, part, `${within}${name}.`)
      : []
  })
}

/** If one of several forms is expected: the fault in the form that fits best. */
function innermost(issue: z.core.$ZodIssue): { path: PropertyKey[]; message: string } {
  const forms = issue.code === 'invalid_union' ? issue.errors.flatMap(([first]) => first ?? []) : []
  const inner = forms.map(innermost).reduce<ReturnType<typeof innermost> | null>((deepest, each) => {
    return each.path.length > (deepest?.path.length ?? 0) ? each : deepest
  }, null)
  return inner ? { ...inner, path: [...issue.path, ...inner.path] } : issue
}

/** A name comes from the client, and goes into a header. */
export function headerSafe(name: string): string {
  return name.replaceAll(/[^\w.-]/g, '_').slice(0, 64)
}
