import 'server-only'
import { createHash } from 'node:crypto'
import { ApiError } from '@/lib/http/api-error'
import type { Catalogue } from '../domain/model'
import { modelResponse, modelsResponse, parseTypes } from '../domain/models-response'

/** Prices may be a minute old in a cache; the hold is made with those of the moment. */
const CACHE_CONTROL = 'public, max-age=60, stale-while-revalidate=300'

/** `GET /v1/models`. @throws ApiError invalid_request for an unknown `type` */
export async function respondWithModels(catalogue: Catalogue, request: Request): Promise<Response> {
  const kinds = parseTypes(new URL(request.url).searchParams.get('type'))
  if (!kinds) {
    throw new ApiError('invalid_request', 'type is not valid: expected a list of chat, image and audio.', {
      param: 'type',
    })
  }
  return cachedJson(modelsResponse(await catalogue.listModels(), kinds), request)
}

/** `GET /v1/models/{id…}`: ids hold slashes, sent as they are or escaped. @throws ApiError model_not_found */
export async function respondWithModel(
  catalogue: Catalogue,
  request: Request,
  idSegments: readonly string[],
): Promise<Response> {
  const modelId = idSegments.map(decodeSegment).join('/')
  const model = await catalogue.findModel(modelId)
  if (model) return cachedJson(modelResponse(model), request)
  throw new ApiError('model_not_found', 'There is no such model here. GET /v1/models lists them.', {
    param: 'model',
  })
}

function cachedJson(body: unknown, request: Request): Response {
  const text = JSON.stringify(body)
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  const headers = { 'cache-control': CACHE_CONTROL, etag, vary: 'accept-encoding' }
  const known = request.headers.get('if-none-match')?.split(',') ?? []
  // A cache in between may have weakened the tag when it compressed the answer.
  if (known.some(tag => tag.trim().replace(/^W\//, '') === etag))
    return new Response(null, { status: 304, headers })
  return new Response(text, { headers: { ...headers, 'content-type': 'application/json' } })
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
