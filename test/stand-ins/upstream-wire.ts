import { z } from 'zod'
import type { Answer, Step } from './upstream-script'

/** A fixed instant, so that answers are the same in every run. */
export const CREATED_SECONDS = 1_760_000_000

const chatRequest = z.object({
  model: z.string().catch('unnamed'),
  stream: z.boolean().catch(false),
  stream_options: z.object({ include_usage: z.boolean().catch(false) }).catch({ include_usage: false }),
  max_tokens: z.number().optional().catch(undefined),
  max_completion_tokens: z.number().optional().catch(undefined),
  messages: z.array(z.unknown()).catch([]),
})

export type ChatRequest = z.output<typeof chatRequest>

export function parseChatRequest(body: unknown): ChatRequest {
  return chatRequest.parse(body !== null && typeof body === 'object' ? body : {})
}

export interface Counts {
  promptTokens: number
  cachedTokens: number
  completionTokens: number
  reasoningTokens: number
}

/** `usage` as OpenAI and OpenRouter write it. */
export function formatUsage(counts: Counts, costUsd: number | undefined): Record<string, unknown> {
  return {
    prompt_tokens: counts.promptTokens,
    completion_tokens: counts.completionTokens,
    total_tokens: counts.promptTokens + counts.completionTokens,
    ...(costUsd === undefined ? {} : { cost: costUsd, is_byok: false }),
    prompt_tokens_details: { cached_tokens: counts.cachedTokens, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: counts.reasoningTokens, audio_tokens: 0 },
  }
}

export interface Envelope {
  id: string
  model: string
}

export function formatChunk(
  { id, model }: Envelope,
  choices: unknown[],
  rest: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    id,
    object: 'chat.completion.chunk',
    created: CREATED_SECONDS,
    model,
    system_fingerprint: 'fp_standin',
    choices,
    ...rest,
  }
}

export function formatChoice(delta: Record<string, unknown>, finishReason: string | null = null) {
  return { index: 0, delta, logprobs: null, finish_reason: finishReason }
}

/** The delta of a step that carries output; null for steps that only steer. */
export function deltaOf(step: Step): Record<string, unknown> | null {
  switch (step.type) {
    case 'text':
      return { content: step.text }
    case 'reasoning':
      return {
        content: '',
        reasoning: step.text,
        reasoning_details: [{ type: 'reasoning.text', text: step.text, index: 0 }],
      }
    case 'tool_call':
      return { tool_calls: [toolCallOf(step)] }
    case 'image':
      return { content: '', images: [{ type: 'image_url', index: 0, image_url: { url: step.url } }] }
    default:
      return null
  }
}

function toolCallOf(step: Extract<Step, { type: 'tool_call' }>) {
  const start = step.id === undefined ? {} : { id: step.id, type: 'function' }
  const name = step.name === undefined ? {} : { name: step.name }
  return { index: step.index ?? 0, ...start, function: { ...name, arguments: step.arguments } }
}

/** The whole answer as one `chat.completion`, from the deltas that would have been streamed. */
export function formatCompletion(
  { id, model }: Envelope,
  input: { deltas: Step[]; finishReason: string | null; usage: unknown },
): Record<string, unknown> {
  const textOf = (type: 'text' | 'reasoning') =>
    input.deltas.flatMap(step => (step.type === type ? [step.text] : [])).join('')
  const reasoning = textOf('reasoning')
  const images = input.deltas.flatMap(step =>
    step.type === 'image' ? [{ type: 'image_url', image_url: { url: step.url } }] : [],
  )
  const toolCalls = mergeToolCalls(input.deltas)
  const message = {
    role: 'assistant',
    content: toolCalls.length > 0 ? textOf('text') || null : textOf('text'),
    refusal: null,
    ...(reasoning === '' ? {} : { reasoning }),
    ...(images.length === 0 ? {} : { images }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  }
  return {
    id,
    object: 'chat.completion',
    created: CREATED_SECONDS,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: input.finishReason }],
    ...(input.usage === undefined ? {} : { usage: input.usage }),
  }
}

function mergeToolCalls(deltas: Step[]) {
  const calls = new Map<
    number,
    { id: string; type: 'function'; function: { name: string; arguments: string } }
  >()
  for (const step of deltas) {
    if (step.type !== 'tool_call') continue
    const index = step.index ?? 0
    const known = calls.get(index)
    calls.set(index, {
      id: known?.id ?? step.id ?? `call_${index}`,
      type: 'function',
      function: {
        name: known?.function.name ?? step.name ?? '',
        arguments: (known?.function.arguments ?? '') + step.arguments,
      },
    })
  }
  return [...calls.values()]
}

export function defaultFinishReason(answer: Answer, cut: boolean): string | null {
  if (answer.finishReason !== undefined) return answer.finishReason
  if (cut) return 'length'
  return answer.steps?.some(step => step.type === 'tool_call') ? 'tool_calls' : 'stop'
}
