import 'server-only'
import type { ZodType, z } from 'zod'
import { ApiError } from './api-error'
import { isTooDeep } from './json-depth'

/** Small JSON bodies (accounts, top-ups, keys). Chat requests name their own, larger bound. */
export const SMALL_BODY_BYTES_MAX = 16 * 1024

/**
 * Reads at most `bytesMax` of a request's body, whatever its Content-Length claims.
 * @throws ApiError request_too_large
 */
export async function readBody(request: Request, bytesMax: number): Promise<Uint8Array> {
  const tooLarge = () => new ApiError('request_too_large', `The request is larger than ${bytesMax} bytes.`)
  if (Number(request.headers.get('content-length') ?? '0') > bytesMax) throw tooLarge()
  const chunks: Uint8Array[] = []
  let byteCount = 0
  for await (const chunk of request.body ?? []) {
    byteCount += chunk.byteLength
    if (byteCount > bytesMax) throw tooLarge()
    chunks.push(chunk)
  }
  const only = chunks[0]
  return chunks.length === 1 && only ? only : new Uint8Array(Buffer.concat(chunks))
}

/** @throws ApiError invalid_request naming the field, or request_too_large */
export async function readJson<Schema extends ZodType>(
  request: Request,
  schema: Schema,
  bytesMax: number = SMALL_BODY_BYTES_MAX,
): Promise<z.output<Schema>> {
  return parseJson(await readBody(request, bytesMax), schema)
}

/** An empty body counts as `{}`. */
export function parseJson<Schema extends ZodType>(bytes: Uint8Array, schema: Schema): z.output<Schema> {
  const value = parseText(bytes)
  if (isTooDeep(value)) throw new ApiError('invalid_request', 'The body is nested too deeply.')
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const param = issue?.path.join('.') || undefined
  throw new ApiError(
    'invalid_request',
    `${param ?? 'The body'} is not valid: ${issue?.message ?? 'unexpected value'}.`,
    {
      param,
    },
  )
}

function parseText(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return {}
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new ApiError('invalid_request', 'The body is not valid JSON.')
  }
}
