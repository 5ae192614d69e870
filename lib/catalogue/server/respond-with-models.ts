import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import { cachedJson } from '@/lib/http/cached-json'
import type { Catalogue } from '../domain/model'
import { modelResponse, modelsResponse, parseTypes } from '../domain/models-response'

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

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
