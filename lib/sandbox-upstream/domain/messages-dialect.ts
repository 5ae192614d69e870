import { z } from 'zod'
import { type CompletionQuestion, completionRequest } from './completion-request'
import { type Envelope, MIDWAY_ERROR, type SandboxDialect } from './format-completion'
import type { CompletionPlan } from './plan-completion'

const source = z.looseObject({
  media_type: z.string().optional(),
  data: z.string().optional(),
  url: z.string().optional(),
})
const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  title: z.string().nullish(),
  source: source.optional().catch(undefined),
  content: z.unknown().optional(),
})
const blocks = z.union([z.string(), z.array(block)])
type Block = z.output<typeof block>

const messagesRequest = z.object({
  model: z.string(),
  max_tokens: z.int().positive(),
  messages: z.array(z.object({ role: z.string(), content: blocks })).min(1),
  system: blocks.nullish(),
  stream: z.boolean().nullish(),
  tools: z.array(z.looseObject({ name: z.string(), input_schema: z.unknown().optional() })).nullish(),
  tool_choice: z.object({ type: z.string(), name: z.string().optional() }).nullish(),
  output_config: z
    .object({ format: z.looseObject({ type: z.string(), schema: z.unknown().optional() }).nullish() })
    .nullish(),
})

/** `POST /messages` of the practice models, in Anthropic's format. */
export const SANDBOX_MESSAGES: SandboxDialect = {
  request: messagesRequest.transform(toCompletion).pipe(completionRequest),
  *events(envelope, plan) {
    const { usage } = plan
    const started = { ...headOf(envelope), content: [], stop_reason: null, stop_sequence: null }
    const soFar = { input_tokens: usage.prompt_tokens, output_tokens: 1 }
    yield { type: 'message_start', message: { ...started, usage: soFar } }
    let index = 0
    for (const { empty, deltas } of blocksOf(envelope, plan)) {
      yield { type: 'content_block_start', index, content_block: empty }
      for (const delta of deltas) yield { type: 'content_block_delta', index, delta }
      if (plan.finishReason === 'error') break
      yield { type: 'content_block_stop', index }
      index += 1
    }
    if (plan.finishReason === 'error') {
      yield { type: 'error', error: { type: 'api_error', message: MIDWAY_ERROR.error.message } }
      return
    }
    yield { type: 'message_delta', delta: stopOf(plan), usage: usageOf(plan) }
    yield { type: 'message_stop' }
  },
  whole: (envelope, plan) => ({
    ...headOf(envelope),
    content: blocksOf(envelope, plan).map(({ whole }) => whole),
    ...stopOf(plan),
    usage: usageOf(plan),
  }),
}

function toCompletion({
  messages,
  tools,
  tool_choice,
  output_config,
  ...request
}: z.output<typeof messagesRequest>): CompletionQuestion {
  const format = output_config?.format
  return {
    ...request,
    messages: [
      ...(request.system ? [{ role: 'system', content: partsOf(request.system) }] : []),
      ...messages.map(({ role, content }) => {
        const result =
          typeof content === 'string' ? undefined : content.find(({ type }) => type === 'tool_result')
        return result
          ? { role: 'tool', content: partsOf(blocks.safeParse(result.content).data ?? '') }
          : { role, content: partsOf(content) }
      }),
    ],
    tools: tools?.map(({ name, input_schema: parameters }) => ({
      type: 'function',
      function: { name, parameters },
    })),
    tool_choice: toolChoiceOf(tool_choice),
    response_format: format && { type: format.type, json_schema: { schema: format.schema } },
  }
}

function toolChoiceOf(choice: z.output<typeof messagesRequest>['tool_choice']) {
  if (choice?.type === 'tool') return { function: { name: choice.name ?? '' } }
  return choice?.type === 'none' ? 'none' : 'auto'
}

function partsOf(content: z.output<typeof blocks>) {
  if (typeof content === 'string') return content
  return content.map(partOf)
}

function partOf({ type, text, title, source: from }: Block) {
  if (type === 'image') {
    return {
      type: 'image_url',
      image_url: { url: from?.url ?? `data:${from?.media_type};base64,${from?.data}` },
    }
  }
  if (type === 'document') return { type: 'file', file: { filename: title ?? undefined } }
  return type === 'text' ? { type: 'text', text: text ?? '' } : { type }
}

function headOf({ id, model }: Envelope) {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model }
}

function blocksOf({ id }: Envelope, { reasoningTokens, textTokens, toolCall }: CompletionPlan) {
  const said = []
  if (reasoningTokens.length > 0) {
    said.push({
      empty: { type: 'thinking', thinking: '', signature: '' },
      deltas: reasoningTokens.map(thinking => ({ type: 'thinking_delta', thinking })),
      whole: { type: 'thinking', thinking: reasoningTokens.join(''), signature: '' },
    })
  }
  if (textTokens.length > 0) {
    said.push({
      empty: { type: 'text', text: '' },
      deltas: textTokens.map(text => ({ type: 'text_delta', text })),
      whole: { type: 'text', text: textTokens.join('') },
    })
  }
  if (toolCall) {
    const call = { type: 'tool_use', id: `toolu_${id}`, name: toolCall.name }
    said.push({
      empty: { ...call, input: {} },
      deltas: [{ type: 'input_json_delta', partial_json: toolCall.arguments }],
      whole: { ...call, input: JSON.parse(toolCall.arguments) },
    })
  }
  return said
}

function stopOf({ finishReason }: CompletionPlan) {
  const reasons = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use', error: null } as const
  return { stop_reason: reasons[finishReason], stop_sequence: null }
}

function usageOf({ usage }: CompletionPlan) {
  return {
    input_tokens: usage.prompt_tokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: usage.completion_tokens,
  }
}
