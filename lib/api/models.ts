import 'server-only'
import { z } from 'zod'
import { modelResponse, modelsResponse, parseTypes } from '@/lib/catalogue/domain/models-response'
import { voicesResponse } from '@/lib/exchange/kinds/speech/voice'
import { ApiError } from '@/lib/http/api-error'
import { cachedJson } from '@/lib/http/cached-json'
import { modelListSchema, modelSchema, voiceListSchema } from './contracts/models'
import { route } from './route'

const typeQuery = z
  .string()
  .optional()
  .transform((text, context) => {
    const kinds = parseTypes(text ?? null)
    if (kinds) return kinds
    context.addIssue({ code: 'custom', message: 'expected a list of chat, image, audio and embedding' })
    return z.NEVER
  })
  .describe('Only these kinds, separated by commas: chat, image, audio, embedding.')

/** A list that a client already has is not sent again. */
const cached = { otherAnswers: { 304: null }, answerHeaders: { etag: 'For `If-None-Match`.' } } as const

/** Public: what there is and what it costs is known before anybody asks for a credential. */
export const modelRoutes = [
  route(
    {
      method: 'GET',
      path: '/v1/models',
      summary: 'List the models with the prices that this site charges',
      caller: 'published',
      query: z.object({ type: typeQuery }),
      answer: modelListSchema,
      ...cached,
    },
    async ({ request, services: { catalogue }, query }) =>
      cachedJson(modelsResponse(await catalogue.listModels(), query.type), request),
  ),
  route(
    {
      method: 'GET',
      path: '/v1/models/{+id}',
      summary: 'Get one model',
      caller: 'published',
      params: { id: z.string().describe('With its slashes, as they are or escaped.') },
      answer: modelSchema,
      ...cached,
    },
    async ({ request, services: { catalogue }, params }) => {
      const model = await catalogue.findModel(params.id)
      if (model) return cachedJson(modelResponse(model), request)
      const sentence = 'There is no such model here. GET /v1/models lists them.'
      throw new ApiError('model_not_found', sentence, { param: 'model' })
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v1/audio/voices',
      summary: 'List the voices and the models that speak with them',
      caller: 'published',
      answer: voiceListSchema,
      ...cached,
    },
    async ({ request, services: { listVoices } }) => cachedJson(voicesResponse(await listVoices()), request),
  ),
]
