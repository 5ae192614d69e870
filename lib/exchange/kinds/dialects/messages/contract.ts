import { z } from 'zod'
import { provider } from '../../chat/contract'
import { free, headerSafe, LIST_LENGTH_MAX, modelId, readContract, tokenCount } from '../../contract'

const cacheControl = z.looseObject({ type: z.string().max(64) }).nullish()
const name = z.string().min(1).max(256)

const textBlock = z.object({ type: z.literal('text'), text: z.string(), cache_control: cacheControl })
const base64Source = z.object({
  type: z.literal('base64'),
  media_type: z.string().min(1).max(128),
  data: z.string().min(1),
})
const urlSource = z.object({ type: z.literal('url'), url: z.string().min(1) })

const imageBlock = z.object({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [base64Source, urlSource], 'expected base64 or url'),
  cache_control: cacheControl,
})
const documentBlock = z.object({
  type: z.literal('document'),
  source: z.discriminatedUnion(
    'type',
    [
      base64Source,
      urlSource,
      z.object({ type: z.literal('text'), media_type: z.string().max(128).optional(), data: z.string() }),
      z.object({
        type: z.literal('content'),
        content: z.union([
          z.string(),
          z.array(z.discriminatedUnion('type', [textBlock, imageBlock])).max(LIST_LENGTH_MAX),
        ]),
      }),
    ],
    'expected base64, url, text or content: files are not stored here',
  ),
  title: z.string().nullish(),
  context: z.string().nullish(),
  cache_control: cacheControl,
})
const searchResultBlock = z.object({
  type: z.literal('search_result'),
  source: z.string(),
  title: z.string(),
  content: z.array(textBlock).max(LIST_LENGTH_MAX),
  cache_control: cacheControl,
})
const toolUseBlock = z.object({
  type: z.literal('tool_use'),
  id: name,
  name,
  input: z.unknown(),
  cache_control: cacheControl,
})
/** What a client's own search for tools has found. */
const toolReferenceBlock = z.object({
  type: z.literal('tool_reference'),
  tool_name: name,
  cache_control: cacheControl,
})
const resultBlock = z.discriminatedUnion(
  'type',
  [textBlock, imageBlock, documentBlock, searchResultBlock, toolReferenceBlock],
  'expected text, image, document, search_result or tool_reference',
)
const toolResultBlock = z.object({
  type: z.literal('tool_result'),
  tool_use_id: name,
  content: z.union([z.string(), z.array(resultBlock).max(LIST_LENGTH_MAX)]).nullish(),
  is_error: z.boolean().nullish(),
  cache_control: cacheControl,
})
const thinkingBlock = z.object({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string().nullish(),
})
const redactedThinkingBlock = z.object({ type: z.literal('redacted_thinking'), data: z.string() })

const block = z.discriminatedUnion(
  'type',
  [
    textBlock,
    imageBlock,
    documentBlock,
    searchResultBlock,
    toolUseBlock,
    toolResultBlock,
    thinkingBlock,
    redactedThinkingBlock,
  ],
  'blocks of this type are not accepted here',
)

const tool = z.object({
  type: z
    .literal('custom', 'only tools that the client runs itself are accepted here, with an input_schema')
    .nullish(),
  name,
  description: z.string().nullish(),
  input_schema: z.looseObject({}),
  strict: z.boolean().nullish(),
  cache_control: cacheControl,
})

const parallel = z.boolean().nullish()

/** Anthropic's Messages. Fields that are not here are left out; those that could cost are refused below. */
export const messagesRequestSchema = z.object({
  model: modelId,
  max_tokens: tokenCount,
  messages: z
    .array(
      z.object({
        role: z.enum(['user', 'assistant', 'system']),
        content: z.union([z.string(), z.array(block).max(LIST_LENGTH_MAX)]),
      }),
    )
    .min(1)
    .max(LIST_LENGTH_MAX),
  system: z.union([z.string(), z.array(textBlock).max(LIST_LENGTH_MAX)]).nullish(),
  stream: z.boolean().nullish(),
  stop_sequences: z.array(z.string()).max(64).nullish(),
  temperature: free,
  top_p: free,
  top_k: free,
  tools: z.array(tool).max(LIST_LENGTH_MAX).nullish(),
  tool_choice: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('auto'), disable_parallel_tool_use: parallel }),
      z.object({ type: z.literal('any'), disable_parallel_tool_use: parallel }),
      z.object({ type: z.literal('tool'), name, disable_parallel_tool_use: parallel }),
      z.object({ type: z.literal('none') }),
    ])
    .nullish(),
  thinking: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('enabled'), budget_tokens: tokenCount }),
      z.object({ type: z.literal('adaptive') }),
      z.object({ type: z.literal('disabled') }),
    ])
    .nullish(),
  output_config: z
    .object({
      effort: z.string().max(16).nullish(),
      format: z.object({ type: z.literal('json_schema'), schema: z.looseObject({}) }).nullish(),
    })
    .nullish(),
  metadata: z.object({ user_id: z.string().max(4_096).nullish() }).nullish(),
  service_tier: z.enum(['auto', 'standard_only']).nullish(),
  provider: provider.nullish(),
  cache_control: cacheControl,
})

export type MessagesRequest = z.output<typeof messagesRequestSchema>
type Block = z.output<typeof block>
export type BlockOf<Type extends Block['type']> = Extract<Block, { type: Type }>
export type MessageBlock = Block
/** A part of a tool's result. */
export type ResultBlock = z.output<typeof resultBlock>

/** The request that only counts the tokens of a prompt. */
export const tokenCountRequestSchema = messagesRequestSchema.partial({ max_tokens: true })

/** Fields whose cost no hold covers, or that change what is asked. */
const REFUSED_FIELDS: Readonly<Record<string, string>> = {
  mcp_servers: 'connect your client to the servers, and send their tools',
  container: 'containers are not available here',
  inference_geo: 'the region cannot be chosen here',
  speed: 'only the standard speed is offered here',
  fallbacks: 'there are no fallbacks here: send the request again with another model',
}

/**
 * The betas that are passed on: they cost nothing beyond the hold, and OpenRouter accepts them. It refuses some others,
 * accepts a longer context anyway, and `context-management`, `advanced-tool-use` and the like belong to fields that are
 * left out. `anthropic-version` is not passed on, since the body is written in the only version there is.
 */
export const FREE_BETAS: ReadonlySet<string> = new Set([
  // Streams the arguments of a call as they are written, which makes them no longer.
  'fine-grained-tool-streaming-2025-05-14',
  // Reasoning between calls: the bound includes the whole budget beside `max_tokens`.
  'interleaved-thinking-2025-05-14',
  // Without it, OpenRouter removes `strict` from tools. What it adds to the prompt is less than a tool's part of
  // the bound.
  'structured-outputs-2025-11-13',
])
const BETA_COUNT_MAX = 32

export function readBetas(header: string): { betas: string[]; ignoredBetas: string[] } {
  const asked = [...new Set(header.split(',').map(beta => beta.trim()))].filter(beta => beta !== '')
  const isFree = (beta: string) => FREE_BETAS.has(beta)
  const ignoredBetas = asked.filter(beta => !isFree(beta)).slice(0, BETA_COUNT_MAX)
  return { betas: asked.filter(isFree).toSorted(), ignoredBetas: ignoredBetas.map(betaField) }
}

/** The name of a beta in `x-ignored-fields`. */
export function betaField(beta: string): string {
  return headerSafe(`anthropic-beta.${beta}`)
}

/** @throws ApiError invalid_request naming the field */
export function readMessagesRequest(body: unknown): { request: MessagesRequest; ignoredFields: string[] } {
  return readContract(body, messagesRequestSchema, { refused: REFUSED_FIELDS })
}

/** @throws ApiError invalid_request naming the field */
export function readTokenCountRequest(body: unknown): MessagesRequest {
  const { request } = readContract(body, tokenCountRequestSchema, { refused: REFUSED_FIELDS })
  return { ...request, max_tokens: request.max_tokens ?? 1 }
}
