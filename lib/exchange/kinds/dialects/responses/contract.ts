import { z } from 'zod'
import { isObject } from '@/lib/http/domain/is-object'
import { provider, reasoningMode } from '../../chat/contract'
import { free, LIST_LENGTH_MAX, modelId, readContract, tokenCount } from '../../contract'

const name = z.string().min(1).max(256)
const id = z.string().max(256).nullish()
/** Set by the host that an item came from, which may want them back. */
const told = { id, status: z.string().max(32).nullish() }

const textPart = z.object({
  type: z.enum(['input_text', 'output_text', 'text', 'summary_text', 'reasoning_text']),
  text: z.string(),
})
const part = z.discriminatedUnion(
  'type',
  [
    textPart,
    z.object({ type: z.literal('refusal'), refusal: z.string() }),
    z.object({
      type: z.literal('input_image'),
      image_url: z.string('expected a URL: files are not stored here').min(1),
      detail: z.string().max(16).nullish(),
    }),
    z
      .object({
        type: z.literal('input_file'),
        filename: z.string().max(1_024).nullish(),
        file_data: z.string().nullish(),
        file_url: z.string().nullish(),
      })
      .refine(
        ({ file_data: data, file_url: url }) => Boolean(data || url),
        'expected file_data or file_url: files are not stored here',
      ),
    z.object({
      type: z.literal('input_audio'),
      input_audio: z.object({ data: z.string(), format: z.string().max(16) }),
    }),
  ],
  'parts of this type are not accepted here',
)
const content = z.union([z.string(), z.array(part).max(LIST_LENGTH_MAX)])

/** Tools that the client runs itself. */
const functionTool = z.object({
  type: z.literal('function'),
  name,
  description: z.string().nullish(),
  parameters: z.looseObject({}).nullish(),
  strict: z.boolean().nullish(),
})
const customTool = z.object({
  type: z.literal('custom'),
  name,
  description: z.string().nullish(),
  format: z.looseObject({ type: z.string() }).nullish(),
})
const localShellTool = z.object({ type: z.literal('local_shell') })
/** Codex groups the tools of an MCP server, and its own for collaboration, under one name. */
const namespaceTool = z.object({
  type: z.literal('namespace'),
  name,
  description: z.string().nullish(),
  tools: z.array(z.discriminatedUnion('type', [functionTool, customTool])).max(LIST_LENGTH_MAX),
})
/** Tools that a host runs. Clients offer them unasked, so they are left out, and the model answers without them. */
export const OPTIONAL_TOOLS = ['web_search', 'web_search_preview', 'image_generation'] as const
const optionalTool = z.looseObject({ type: z.enum(OPTIONAL_TOOLS) })

const tool = z.discriminatedUnion(
  'type',
  [functionTool, customTool, localShellTool, namespaceTool, optionalTool],
  'only tools that the client runs itself are accepted here',
)

/** A message may omit its type. */
const message = z.object({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content,
  phase: z.string().max(32).nullish(),
  ...told,
})
const item = z.discriminatedUnion(
  'type',
  [
    message,
    z.object({
      type: z.literal('function_call'),
      ...told,
      call_id: name,
      name,
      /** The group that the tool belongs to. */
      namespace: name.nullish(),
      arguments: z.string(),
    }),
    z.object({ type: z.literal('function_call_output'), ...told, call_id: name, output: content }),
    z.object({
      type: z.literal('custom_tool_call'),
      ...told,
      call_id: name,
      name,
      namespace: name.nullish(),
      input: z.string(),
    }),
    z.object({ type: z.literal('custom_tool_call_output'), ...told, call_id: name, output: content }),
    z.object({
      type: z.literal('local_shell_call'),
      ...told,
      call_id: name,
      action: z.looseObject({}),
    }),
    z.object({ type: z.literal('local_shell_call_output'), ...told, call_id: id, output: content }),
    /** Codex's newer models have their tools here. */
    z.object({ type: z.literal('additional_tools'), tools: z.array(tool).max(LIST_LENGTH_MAX) }),
    z.object({
      type: z.literal('reasoning'),
      ...told,
      summary: z.array(textPart).max(LIST_LENGTH_MAX).nullish(),
      content: z.array(textPart).max(LIST_LENGTH_MAX).nullish(),
      encrypted_content: z.string().nullish(),
      /** OpenRouter's: whose text it is, and its format. */
      format: z.string().max(64).nullish(),
      signature: z.string().nullish(),
    }),
    /** References to stored reasoning, which may be left out: clients send them even if nothing is stored. */
    z.object({
      type: z.literal('item_reference'),
      id: z
        .string()
        .regex(
          /^rs_/,
          'it refers to a stored item, and nothing is stored here. Set store to false, and send the whole conversation',
        ),
    }),
  ],
  'items of this type are not accepted here',
)

/** OpenAI's Responses. Fields that are not here are left out; those that could cost are refused below. */
export const responsesRequestSchema = z.object({
  model: modelId,
  input: z.union([z.string(), z.array(item).min(1).max(LIST_LENGTH_MAX)]),
  instructions: z.string().nullish(),
  max_output_tokens: tokenCount.nullish(),
  stream: z.boolean().nullish(),
  tools: z.array(tool).max(LIST_LENGTH_MAX).nullish(),
  tool_choice: z
    .union([
      z.enum(['auto', 'none', 'required']),
      z.object({ type: z.enum(['function', 'custom']), name }),
      z.object({
        type: z.literal('allowed_tools'),
        mode: z.enum(['auto', 'required']),
        tools: z
          .array(z.object({ type: z.string().max(64), name: name.nullish() }))
          .max(LIST_LENGTH_MAX)
          .nullish(),
      }),
    ])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  reasoning: z
    .object({
      effort: z.string().max(16).nullish(),
      summary: z.string().max(16).nullish(),
      mode: reasoningMode,
    })
    .nullish(),
  text: z
    .object({
      format: z
        .discriminatedUnion('type', [
          z.object({ type: z.literal('text') }),
          z.object({ type: z.literal('json_object') }),
          z.object({
            type: z.literal('json_schema'),
            name,
            schema: z.looseObject({}),
            description: z.string().nullish(),
            strict: z.boolean().nullish(),
          }),
        ])
        .nullish(),
      verbosity: z.string().max(16).nullish(),
    })
    .nullish(),
  /** Further parts of the answer; it has all that exist anyway. */
  include: z.array(z.string().max(128)).max(64).nullish(),
  store: z
    .literal(false, 'answers are not stored here. Set it to false, and send the whole conversation')
    .nullish(),
  temperature: free,
  top_p: free,
  user: free,
  safety_identifier: free,
  prompt_cache_key: free,
  service_tier: z.string().max(16).nullish(),
  provider: provider.nullish(),
  background: z.literal(false, 'requests are not processed in the background here').nullish(),
})

type ReadRequest = z.output<typeof responsesRequestSchema>
type ReadItem = Exclude<ReadRequest['input'], string>[number]
export type InputItem = Exclude<ReadItem, { type: 'item_reference' }>
export type ResponsesRequest = Omit<ReadRequest, 'input'> & { input: string | InputItem[] }
export type ItemOf<Type> = Extract<InputItem, { type: Type }>
export type ContentPart = z.output<typeof part>
export type ResponsesTool = z.output<typeof tool>
export type ClientTool = z.output<typeof functionTool> | z.output<typeof customTool>

const WHOLE_CONVERSATION = 'answers are not stored here. Send the whole conversation in input'
/** Fields whose cost no hold covers, or that change what is asked. */
const REFUSED_FIELDS: Readonly<Record<string, string>> = {
  previous_response_id: WHOLE_CONVERSATION,
  conversation: WHOLE_CONVERSATION,
  prompt: 'prompts are not stored here. Send the text of the prompt',
}
/** Fields of clients of hosts with more features; they change nothing of what is asked. */
const MEANINGLESS_FIELDS = ['client_metadata', 'max_tool_calls', 'stream_options', 'usage']

/** @throws ApiError invalid_request naming the field */
export function readResponsesRequest(body: unknown): { request: ResponsesRequest; ignoredFields: string[] } {
  const { request, ignoredFields } = readContract(body, responsesRequestSchema, {
    refused: REFUSED_FIELDS,
    meaningless: MEANINGLESS_FIELDS,
  })
  const { input } = request
  if (typeof input === 'string') return { request: { ...request, input }, ignoredFields }
  const items = input.filter(item => item.type !== 'item_reference')
  const left = items.length < input.length ? ['input.item_reference'] : []
  return { request: { ...request, input: items }, ignoredFields: [...ignoredFields, ...left] }
}

/** Some clients send this dialect's body to the chat's address, and expect a chat's answer. */
export function isResponsesBody(body: unknown): boolean {
  return isObject(body) && body.input != null && body.messages == null
}
