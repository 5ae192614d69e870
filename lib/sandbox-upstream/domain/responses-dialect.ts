import { z } from 'zod'
import { type CompletionQuestion, completionRequest } from './completion-request'
import { type Envelope, MIDWAY_ERROR, type SandboxDialect } from './format-completion'
import type { CompletionPlan } from './plan-completion'

const part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  image_url: z.string().nullish(),
  filename: z.string().nullish(),
})
const content = z.union([z.string(), z.array(part)])
const item = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: content.nullish().catch(undefined),
  output: content.optional(),
})

const responsesRequest = z.object({
  model: z.string(),
  input: z.union([z.string(), z.array(item).min(1)]),
  instructions: z.string().nullish(),
  max_output_tokens: z.int().positive().nullish(),
  stream: z.boolean().nullish(),
  tools: z
    .array(
      z.looseObject({ type: z.string(), name: z.string().optional(), parameters: z.unknown().optional() }),
    )
    .nullish(),
  tool_choice: z.union([z.string(), z.looseObject({ name: z.string().optional() })]).nullish(),
  text: z
    .looseObject({ format: z.looseObject({ type: z.string(), schema: z.unknown().optional() }).nullish() })
    .nullish(),
})

/** `POST /responses` of the practice models, in OpenAI's format; nothing is stored. */
export const SANDBOX_RESPONSES: SandboxDialect = {
  request: responsesRequest.transform(toCompletion).pipe(completionRequest),
  *events(envelope, plan) {
    let sequence_number = 0
    for (const event of eventsOf(envelope, plan)) {
      yield { ...event, sequence_number }
      sequence_number += 1
    }
  },
  whole: (envelope, plan) =>
    responseOf(
      envelope,
      plan,
      itemsOf(envelope, plan).map(({ whole }) => whole),
    ),
}

function* eventsOf(envelope: Envelope, plan: CompletionPlan) {
  const begun = { ...headOf(envelope), status: 'in_progress', output: [], usage: null }
  yield { type: 'response.created', response: begun }
  yield { type: 'response.in_progress', response: begun }
  const output: object[] = []
  for (const { empty, deltas, done, whole, around } of itemsOf(envelope, plan)) {
    const place = { output_index: output.length, item_id: whole.id }
    yield { type: 'response.output_item.added', output_index: output.length, item: empty }
    if (around) {
      const part = { ...around.told.part, text: '' }
      yield { ...around.told, type: `response.${around.kind}.added`, ...place, part }
    }
    for (const delta of deltas) yield { ...delta, ...place }
    if (plan.finishReason === 'error') break
    yield { ...done, ...place }
    if (around) yield { ...around.told, type: `response.${around.kind}.done`, ...place }
    yield { type: 'response.output_item.done', output_index: output.length, item: whole }
    output.push(whole)
  }
  const response = responseOf(envelope, plan, output)
  yield { type: `response.${response.status}`, response }
}

function toCompletion(request: z.output<typeof responsesRequest>): CompletionQuestion {
  const {
    input,
    instructions,
    max_output_tokens: max_tokens,
    tools,
    tool_choice,
    text,
    model,
    stream,
  } = request
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const format = text?.format
  return {
    model,
    stream,
    max_tokens,
    messages: [
      ...(instructions ? [{ role: 'system', content: instructions }] : []),
      ...items.flatMap(each => {
        if ('output' in each && each.output !== undefined)
          return [{ role: 'tool', content: partsOf(each.output) }]
        return each.role ? [{ role: each.role, content: partsOf(each.content ?? '') }] : []
      }),
    ],
    tools: tools?.flatMap(({ type, name, parameters }) =>
      type === 'function' ? [{ type, function: { name, parameters } }] : [],
    ),
    tool_choice: toolChoiceOf(tool_choice),
    response_format: format && { type: format.type, json_schema: { schema: format.schema } },
  }
}

function toolChoiceOf(choice: z.output<typeof responsesRequest>['tool_choice']) {
  if (choice === 'none') return choice
  return typeof choice === 'object' && choice?.name ? { function: { name: choice.name } } : 'auto'
}

function partsOf(parts: z.output<typeof content>) {
  if (typeof parts === 'string') return parts
  return parts.map(({ type, text, image_url: url, filename }) => {
    if (type === 'input_image') return { type: 'image_url', image_url: { url: url ?? '' } }
    if (type === 'input_file') return { type: 'file', file: { filename: filename ?? undefined } }
    return text === undefined ? { type } : { type: 'text', text }
  })
}

function headOf({ id, model, createdSeconds }: Envelope) {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: createdSeconds,
    completed_at: null,
    model,
    error: null,
    frequency_penalty: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    presence_penalty: null,
    temperature: null,
    tool_choice: 'auto',
    tools: [],
    top_p: null,
  }
}

function responseOf(envelope: Envelope, { finishReason, usage }: CompletionPlan, output: object[]) {
  const isCut = finishReason === 'length'
  const failure = finishReason === 'error' && {
    error: { code: 'server_error', message: MIDWAY_ERROR.error.message },
  }
  return {
    ...headOf(envelope),
    ...failure,
    status: failure ? 'failed' : isCut ? 'incomplete' : 'completed',
    ...(!failure && !isCut && { completed_at: Math.floor(Date.now() / 1_000) }),
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output,
    usage: {
      input_tokens: usage.prompt_tokens,
      input_tokens_details: usage.prompt_tokens_details,
      output_tokens: usage.completion_tokens,
      output_tokens_details: usage.completion_tokens_details,
      total_tokens: usage.total_tokens,
    },
  }
}

function itemsOf({ id }: Envelope, { reasoningTokens, textTokens, toolCall }: CompletionPlan) {
  const said = []
  if (reasoningTokens.length > 0) {
    const reasoning = { id: `rs_${id}`, type: 'reasoning' }
    const part = { type: 'summary_text', text: reasoningTokens.join('') }
    said.push({
      empty: { ...reasoning, summary: [] },
      deltas: reasoningTokens.map(delta => ({
        type: 'response.reasoning_summary_text.delta',
        summary_index: 0,
        delta,
      })),
      done: { type: 'response.reasoning_summary_text.done', summary_index: 0, text: part.text },
      whole: { ...reasoning, summary: [part] },
      around: { kind: 'reasoning_summary_part', told: { summary_index: 0, part } },
    })
  }
  if (textTokens.length > 0) {
    const message = { id: `msg_${id}`, type: 'message', role: 'assistant' }
    const text = { type: 'output_text', text: textTokens.join(''), annotations: [] }
    said.push({
      empty: { ...message, status: 'in_progress', content: [] },
      deltas: textTokens.map(delta => ({
        type: 'response.output_text.delta',
        content_index: 0,
        delta,
        logprobs: [],
      })),
      done: { type: 'response.output_text.done', content_index: 0, text: text.text, logprobs: [] },
      whole: { ...message, status: 'completed', content: [text] },
      around: { kind: 'content_part', told: { content_index: 0, part: text } },
    })
  }
  if (toolCall) {
    const call = { id: `fc_${id}`, type: 'function_call', call_id: `call_${id}`, name: toolCall.name }
    const { arguments: text } = toolCall
    said.push({
      empty: { ...call, status: 'in_progress', arguments: '' },
      deltas: [{ type: 'response.function_call_arguments.delta', delta: text }],
      done: { type: 'response.function_call_arguments.done', name: call.name, arguments: text },
      whole: { ...call, status: 'completed', arguments: text },
      around: null,
    })
  }
  return said
}
