import 'server-only'
import { z } from 'zod'
import { filterModels, MODEL_ORDERS, type ModelFilter } from '@/lib/catalogue/domain/filter-models'
import {
  type Catalogue,
  MODEL_ID_LENGTH_MAX,
  MODEL_KINDS,
  type Model,
  type ModelKind,
} from '@/lib/catalogue/domain/model'
import { messagesErrorBody, messagesErrorSchema } from '@/lib/exchange/kinds/dialects/messages/error'
import { anthropicModelNames } from '@/lib/exchange/kinds/dialects/messages/model-names'
import { refuseIncomplete } from '@/lib/exchange/kinds/kind-services'
import { ApiError } from '@/lib/http/api-error'
import { cachedJson, etagOf, type JsonText, jsonText } from '@/lib/http/cached-json'
import { oncePer } from '@/lib/http/domain/once-per'
import { multiply, parseDecimal } from '@/lib/money/decimal'
import { anthropicList, anthropicModel } from './anthropic-models'
import { errorSchema } from './contracts/error'
import {
  anthropicModelListSchema,
  anthropicModelSchema,
  modelListSchema,
  modelSchema,
  modelToBody,
  voiceListSchema,
  voicesToBody,
} from './contracts/models'
import { route } from './route'

const SEARCH_LENGTH_MAX = 200
const LIST_LENGTH_MAX = 32
const INPUT_MODALITIES = ['text', 'image', 'file', 'audio', 'video'] as const
const OUTPUT_MODALITIES = ['text', 'image', 'audio', 'speech', 'embeddings', 'all'] as const
/** The default size of a page, as at Anthropic. */
const PAGE_SIZE_DEFAULT = 20
const PAGE_SIZE_MAX = 1_000
const PRICE_USD_MAX = 1_000_000

/** The values of `?type=`; audio covers both directions. */
const KINDS_BY_TYPE: Readonly<Record<string, readonly ModelKind[]>> = {
  ...Object.fromEntries(MODEL_KINDS.map(kind => [kind, [kind]])),
  audio: ['speech', 'transcription'],
}
const MODEL_TYPES = Object.keys(KINDS_BY_TYPE)

const typeQuery = z
  .string()
  .optional()
  .transform((text, context) => {
    const kinds = kindsOf(text)
    if (kinds) return kinds
    context.addIssue({ code: 'custom', message: `expected a list of ${MODEL_TYPES.join(', ')}` })
    return z.NEVER
  })
  .describe(`Only models of these kinds, separated by commas: ${MODEL_TYPES.join(', ')}.`)

/** Filters of the list; only Anthropic's form has pages. */
export const listQuery = z.object({
  type: typeQuery,
  q: z
    .string()
    .max(SEARCH_LENGTH_MAX)
    .transform(text => text.split(/\s+/).filter(word => word !== ''))
    .optional()
    .describe('Only models with all of these words in their name or id.'),
  supported_parameters: listOf(/^[\w.-]{1,64}$/, 'expected field names, separated by commas').describe(
    'Only models that accept all of these fields, separated by commas: `tools,reasoning`.',
  ),
  input_modalities: listOf(
    oneOf(INPUT_MODALITIES),
    `expected a list of ${INPUT_MODALITIES.join(', ')}`,
  ).describe('Only models that accept all of these, separated by commas.'),
  output_modalities: listOf(
    oneOf(OUTPUT_MODALITIES),
    `expected a list of ${OUTPUT_MODALITIES.join(', ')}`,
  ).describe('Only models that produce at least one of these, separated by commas.'),
  max_price: z.coerce
    .number('expected dollars per million tokens')
    .min(0)
    .max(PRICE_USD_MAX)
    .transform((usd, context) => {
      const price = parseDecimal(String(usd))
      if (price) return multiply(price, PER_MILLION)
      context.addIssue({ code: 'custom', message: 'expected dollars per million tokens' })
      return z.NEVER
    })
    .optional()
    .describe(
      'Only models that charge at most this many dollars for a million input tokens. Free ones are included.',
    ),
  sort: z
    .enum(MODEL_ORDERS, `expected one of ${MODEL_ORDERS.join(', ')}`)
    .optional()
    .describe('A price order goes by the price of an everyday message.'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(PAGE_SIZE_MAX)
    .optional()
    .describe(`Only in Anthropic’s shape: models per page, ${PAGE_SIZE_DEFAULT} by default.`),
  after_id: z
    .string()
    .max(MODEL_ID_LENGTH_MAX)
    .optional()
    .describe('Only in Anthropic’s shape: `last_id` of the previous page.'),
  before_id: z
    .string()
    .max(MODEL_ID_LENGTH_MAX)
    .optional()
    .describe('Only in Anthropic’s shape: `first_id` of the following page.'),
})

/** Every kind without a text; null if it has an unknown name. */
function kindsOf(types: string | undefined): ReadonlySet<ModelKind> | null {
  const names = types?.split(',').map(name => name.trim()) ?? MODEL_KINDS
  const kinds = names.map(name => (Object.hasOwn(KINDS_BY_TYPE, name) ? KINDS_BY_TYPE[name] : undefined))
  return kinds.includes(undefined) ? null : new Set(kinds.flatMap(kind => kind ?? []))
}

const PER_MILLION = { coefficient: 1n, scale: 6 }

function listOf(pattern: RegExp, message: string) {
  return z
    .string()
    .transform((text, context) => {
      const names = text.split(',').map(name => name.trim())
      if (names.length > LIST_LENGTH_MAX || !names.every(name => pattern.test(name)))
        context.addIssue({ code: 'custom', message })
      return names
    })
    .optional()
}

function oneOf(names: readonly string[]): RegExp {
  return new RegExp(`^(${names.join('|')})$`)
}

type ListQuery = z.output<typeof listQuery>

/** With an ETag, so that an unchanged list is not sent again. */
const cached = { answersByStatus: { 304: null }, answerHeaders: { etag: 'For `If-None-Match`.' } } as const
const anthropicHeaders = z.object({
  'anthropic-version': z.string().optional().describe('If sent, the answer has Anthropic’s shape.'),
})
const VARY = ['anthropic-version'] as const
const eitherError = {
  error: z.union([errorSchema, messagesErrorSchema]),
  errorBody: (error: ApiError, request: Request) =>
    asksAsAnthropic(request) ? messagesErrorBody(error) : error.toBody(),
} as const

/** Public, so that models and prices are known before anybody needs a credential. */
export const modelRoutes = [
  route(
    {
      method: 'GET',
      path: '/v1/models',
      summary: 'List the models with the prices that this site charges',
      description:
        'In OpenAI’s shape with OpenRouter’s fields. With the header `anthropic-version`: only chat models, in Anthropic’s shape.',
      caller: 'published',
      query: listQuery,
      headers: anthropicHeaders,
      answer: z.union([modelListSchema, anthropicModelListSchema]),
      ...cached,
      ...eitherError,
    },
    async ({ request, services: { catalogue }, query }) => listModels(catalogue, request, query),
  ),
  route(
    {
      method: 'GET',
      path: '/v1/embeddings/models',
      summary: 'List the models that make embeddings',
      description: 'The same as `GET /v1/models?type=embedding`.',
      caller: 'published',
      answer: modelListSchema,
      ...cached,
    },
    async ({ request, services: { catalogue } }) =>
      listModels(catalogue, request, { type: new Set(['embedding']) }),
  ),
  route(
    {
      method: 'GET',
      path: '/v1/models/{+id}',
      summary: 'Get one model',
      caller: 'published',
      params: { id: z.string().describe('The id of the model. Its slashes may be escaped or not.') },
      headers: anthropicHeaders,
      answer: z.union([modelSchema, anthropicModelSchema]),
      ...cached,
      ...eitherError,
    },
    async ({ request, services: { catalogue }, params }) => {
      const isAnthropic = asksAsAnthropic(request)
      const model = await findModel(catalogue, isAnthropic ? anthropicModelNames(params.id) : [params.id])
      return cachedJson(isAnthropic ? jsonText(anthropicModel(model)) : toldOnce(model), request, VARY)
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
    async ({ request, services: { catalogue, listVoices } }) =>
      cachedUnlessIncomplete(catalogue, async () =>
        cachedJson(jsonText(voicesToBody(await listVoices())), request),
      ),
  ),
]

/** Anthropic's clients send this header. */
export function asksAsAnthropic({ headers }: Request): boolean {
  return headers.has('anthropic-version')
}

async function listModels(
  catalogue: Catalogue,
  request: Request,
  query: Partial<ListQuery> & Pick<ListQuery, 'type'>,
): Promise<Response> {
  return cachedUnlessIncomplete(catalogue, async () => {
    const models = await catalogue.listModels()
    const found = filterModels(models, filterOf(query))
    const text = asksAsAnthropic(request)
      ? jsonText(anthropicList(found, { ...query, limit: query.limit ?? PAGE_SIZE_DEFAULT }))
      : listText(models, found.map(toldOnce))
    return cachedJson(text, request, VARY)
  })
}

/** What lacks models would otherwise be served from caches for minutes after they have come. */
async function cachedUnlessIncomplete(
  catalogue: Catalogue,
  answer: () => Promise<Response>,
): Promise<Response> {
  // Before the answer: what is missing from it may come while it is made.
  const isIncomplete = (await catalogue.secondsToMissingList()) !== null
  const cached = await answer()
  if (isIncomplete) cached.headers.set('cache-control', 'no-cache')
  return cached
}

export function filterOf(query: Partial<ListQuery> & Pick<ListQuery, 'type'>): ModelFilter {
  return {
    kinds: query.type,
    words: query.q,
    supportedParameters: query.supported_parameters,
    inputModalities: query.input_modalities,
    outputModalities: query.output_modalities?.includes('all') ? undefined : query.output_modalities,
    promptPriceMax: query.max_price,
    order: query.sort,
  }
}

/** A whole list has a megabyte and a half; most clients ask for one of two or three. */
const KEPT_TEXT_COUNT_MAX = 16

/** The serialised lists of each version of the catalogue, by the models in them. */
const keptTexts = new WeakMap<readonly Model[], Map<string, JsonText>>()

/** A list of the same models is serialised and compressed once, whatever the query was. */
function listText(models: readonly Model[], found: readonly JsonText[]): JsonText {
  const kept = keptTexts.get(models) ?? new Map<string, JsonText>()
  keptTexts.set(models, kept)
  const etag = etagOf(found.map(model => model.etag).join())
  const text = kept.get(etag) ?? { bytes: listBytes(found), etag }
  const [oldest] = kept.keys()
  if (kept.size === KEPT_TEXT_COUNT_MAX && oldest !== undefined && !kept.has(etag)) kept.delete(oldest)
  kept.set(etag, text)
  return text
}

/** Serialising each model again for each list would take ten times as long. */
function listBytes(found: readonly JsonText[]): Uint8Array {
  const pieces = found.flatMap(({ bytes }, index) => (index === 0 ? [bytes] : [Buffer.from(','), bytes]))
  const head = `{"object":"list","total_count":${found.length},"links":{"next":null},"data":[`
  return Buffer.concat([Buffer.from(head), ...pieces, Buffer.from(']}')])
}

const toldOnce = oncePer((model: Model) => jsonText(modelToBody(model)))

/** The first of these names that the catalogue knows. @throws ApiError model_not_found, upstream_error */
async function findModel(catalogue: Catalogue, names: readonly string[]): Promise<Model> {
  for (const name of names) {
    const model = await catalogue.findModel(name)
    if (model) return model
  }
  await refuseIncomplete(catalogue)
  const sentence = 'This model does not exist here. GET /v1/models lists the models.'
  throw new ApiError('model_not_found', sentence, { param: 'model' })
}
