import { z } from 'zod'
import type { KnownPart } from '@/lib/catalogue/domain/walk-prompt'
import { fieldsOf } from '@/lib/http/domain/is-object'
import { isNegative, parseDecimal } from '@/lib/money/decimal'
import { CHOICE_COUNT_MAX, free, LIST_LENGTH_MAX, modelId, readContract, tokenCount } from '../contract'

/** Enough for long conversations with several images; more would only occupy memory. */
export const REQUEST_BYTES_MAX = 32 * 1024 * 1024
/** Fallback models that a request may name beside its own. */
const FALLBACK_MODEL_COUNT_MAX = 16
/** Searches per call, and results per search: OpenRouter's own limits. */
const SEARCH_COUNT_MAX = 30
const SEARCH_RESULT_COUNT_MAX = 25
/** The defaults of a search tool. */
const SEARCH_COUNT_USUAL = 3
const SEARCH_RESULT_COUNT_USUAL = 5

/**
 * Parts that are priced: text by its bytes; pictures, sound and files by rules of their own. Not Mistral's
 * `document_url`, whose pages are read by a model of another kind, at a price for each.
 * https://docs.mistral.ai/capabilities/document_ai/document_qna
 */
const PART_TYPES = [
  'text',
  'refusal',
  'thinking',
  'redacted_thinking',
  'image_url',
  'input_image',
  'image',
  'input_audio',
  'file',
  'input_file',
  'document',
  'video_url',
  'input_video',
] as const satisfies readonly KnownPart[]

/** Where hosts and their clients name a file that was uploaded before. */
const fileIdsIn = ({ file, source, ...part }: Record<string, unknown>) => [
  part.file_id,
  fieldsOf(file).file_id,
  fieldsOf(source).file_id,
]
/** LiteLLM gives an address as an id. */
const ADDRESS = /^(https?|data):/i

/** What an id names at a host is in the operator's account there, and nobody else's to read. */
const part = z
  .looseObject({
    type: z.enum(PART_TYPES, `expected one of ${PART_TYPES.join(', ')}`),
  })
  .refine(
    fields => fileIdsIn(fields).every(id => id == null || ADDRESS.test(String(id))),
    'expected the file itself, or its address: files are not stored here',
  )

const SEARCH_TOOL = 'openrouter:web_search'

export function isSearchTool({ type }: { type: string }): boolean {
  return type === SEARCH_TOOL
}

const functionFields = { name: free, description: free, parameters: free, strict: free }
/**
 * Tools that the client runs itself, since tools that run at an upstream have a price. The list of fields is closed:
 * some hosts have further ones that name their own tools, such as LiteLLM's `googleSearch`.
 */
const clientTool = z.object({
  type: z.enum(['function', 'custom']),
  ...functionFields,
  function: free,
  custom: free,
  format: free,
  cache_control: free,
})
const searchTool = z.object({
  type: z.literal(SEARCH_TOOL),
  parameters: z
    .object({
      max_uses: z.int().min(1).max(SEARCH_COUNT_MAX).nullish(),
      max_results: z.int().min(1).max(SEARCH_RESULT_COUNT_MAX).nullish(),
      allowed_domains: z.array(z.string().max(256)).max(100).nullish(),
      excluded_domains: z.array(z.string().max(256)).max(100).nullish(),
    })
    .nullish(),
})

/** File parsers that cost only the model's tokens, or nothing. */
const fileParser = z.object({
  id: z.literal('file-parser'),
  pdf: z.looseObject({ engine: z.string().max(64).nullish() }).nullish(),
})

/**
 * In another one a model reads and thinks several times, and OpenRouter has another model of its list answer.
 * https://openrouter.ai/docs/cookbook/evaluate-and-optimize/model-migrations/gpt-5-6
 */
export const reasoningMode = z
  .literal(
    'standard',
    'only the standard mode is offered here. For another mode, use the model that is listed for it',
  )
  .nullish()

const price = z
  .union([z.number(), z.string().max(64)])
  .refine(value => {
    const limit = parseDecimal(String(value))
    return limit !== null && !isNegative(limit)
  }, 'expected a price in dollars, as a number or a text')
  .nullish()

/** The most that this site may charge: in dollars per million tokens, per request, per picture that is sent. */
export const priceLimits = z
  .object({ prompt: price, completion: price, request: price, image: price })
  .meta({ id: 'PriceLimits' })

/** OpenRouter's `provider`: preferences among hosts. */
export const provider = z
  .object({
    order: z.array(z.string().max(128)).max(64).nullish(),
    only: z.array(z.string().max(128)).max(64).nullish(),
    ignore: z.array(z.string().max(128)).max(64).nullish(),
    allow_fallbacks: z.boolean().nullish(),
    require_parameters: z.boolean().nullish(),
    data_collection: z.enum(['allow', 'deny']).nullish(),
    zdr: z.boolean().nullish(),
    quantizations: z.array(z.string().max(32)).max(16).nullish(),
    sort: free,
    max_price: priceLimits.nullish(),
  })
  .describe(
    '`zdr`: only hosts that store nothing. `data_collection: "deny"`: only hosts that do not train on requests. `max_price`: the highest price that this site may charge, in USD per million tokens. A request that no host can satisfy is refused.',
  )

/**
 * Every field of a chat completion request that goes to an upstream. Each is free, or part of the bound (plan.ts).
 * Fields that are not here are left out; those that could cost are refused below.
 */
export const chatRequestSchema = z.object({
  /**
   * OpenRouter's fallbacks: any of them may answer, so the dearest one bounds the cost. Before `model`, which may be
   * the first of these, so that its fault is named by its place here.
   */
  models: z
    .array(modelId)
    .max(FALLBACK_MODEL_COUNT_MAX)
    .nullish()
    .describe('Asked in this order if `model` fails. Without `model`, the first of these is asked first.'),
  model: modelId,
  messages: z
    .array(
      z.looseObject({
        role: z.string().min(1).max(64),
        content: z.union([z.string(), z.array(part), z.null()]).optional(),
      }),
    )
    .min(1)
    .max(LIST_LENGTH_MAX),
  max_tokens: tokenCount.nullish(),
  max_completion_tokens: tokenCount.nullish(),
  n: z.int().min(1).max(CHOICE_COUNT_MAX).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  tools: z
    .array(z.discriminatedUnion('type', [clientTool, searchTool], 'this type of tool is not offered here'))
    .max(LIST_LENGTH_MAX)
    .refine(tools => tools.filter(isSearchTool).length <= 1, 'one search tool is enough')
    .nullish(),
  reasoning: z
    .object({
      enabled: z.boolean().nullish(),
      effort: z.string().max(16).nullish(),
      max_tokens: tokenCount.nullish(),
      exclude: z.boolean().nullish(),
      mode: reasoningMode,
      /** `context`: which of the earlier reasoning is read. `summary`: how reasoning is summarised. */
      context: free,
      summary: free,
    })
    .nullish(),
  reasoning_effort: z.string().max(16).nullish(),
  include_reasoning: z.boolean().nullish(),
  modalities: z
    .array(z.enum(['text', 'image', 'audio']))
    .max(3)
    .nullish(),
  audio: z.looseObject({}).nullish(),
  provider: provider.nullish(),
  plugins: z.array(fileParser, 'file-parser is the only plugin that is offered here').max(1).nullish(),
  service_tier: z
    .enum(
      ['auto', 'default', 'standard', 'flex'],
      'only the tiers auto, default, standard and flex are offered here',
    )
    .nullish(),
  tool_choice: free,
  parallel_tool_calls: free,
  functions: z
    .array(z.object({ ...functionFields, name: z.string() }))
    .max(LIST_LENGTH_MAX)
    .nullish(),
  function_call: free,
  response_format: free,
  structured_outputs: free,
  verbosity: free,
  temperature: free,
  top_p: free,
  top_k: free,
  top_a: free,
  min_p: free,
  frequency_penalty: free,
  presence_penalty: free,
  repetition_penalty: free,
  logit_bias: free,
  logprobs: free,
  top_logprobs: free,
  seed: free,
  stop: free,
  user: free,
  safety_identifier: free,
  prompt_cache_key: free,
  cache_control: free,
  transforms: free,
  route: free,
})

export type ChatRequest = z.output<typeof chatRequestSchema>

/** Fields whose cost no hold covers, or that change what is asked. */
const REFUSED_FIELDS: Readonly<Record<string, string>> = {
  best_of: 'use n instead',
  prediction: 'predicted output is not offered here, because it is charged even if it is not used',
  web_search_options: 'use the tool openrouter:web_search instead',
  stop_server_tools_when: 'the site limits it to what is held for the call',
  max_tool_calls: 'set max_uses of the search tool instead',
  background: 'requests are not processed in the background here',
  speed: 'only the standard speed is offered here',
}

export interface SearchPlan {
  searchCount: number
  resultCount: number
}

/** @throws ApiError invalid_request naming the field */
export function readChatRequest(body: unknown): { request: ChatRequest; ignoredFields: string[] } {
  // Clients of OpenRouter send `usage` to be told the cost, which this site always reports.
  return readContract(withModel(body), chatRequestSchema, { refused: REFUSED_FIELDS, meaningless: ['usage'] })
}

/** OpenRouter's clients may name their models in `models` alone. */
function withModel(body: unknown): unknown {
  const fields = fieldsOf(body)
  const { model, models } = fields
  return model == null && Array.isArray(models) && models.length > 0 ? { ...fields, model: models[0] } : body
}

/** How often the request may search the web, and how many results it may find; null if it may not. */
export function searchOf({ tools }: ChatRequest): SearchPlan | null {
  const tool = (tools ?? []).find(isSearchTool)
  if (!tool) return null
  const { parameters } = tool
  const { max_uses: uses, max_results: results } = fieldsOf(parameters)
  return {
    searchCount: typeof uses === 'number' ? uses : SEARCH_COUNT_USUAL,
    resultCount: typeof results === 'number' ? results : SEARCH_RESULT_COUNT_USUAL,
  }
}
