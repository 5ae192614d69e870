import { z } from 'zod'
import { billOf, type Generation, promptOf } from './upstream-bill'
import type { Answer, Step } from './upstream-script'

/** A fixed instant, so that answers are the same in every run. */
export const CREATED_SECONDS = 1_760_000_000

const chatRequest = z.object({
  stream: z.boolean().catch(false),
  stream_options: z.object({ include_usage: z.boolean().catch(false) }).catch({ include_usage: false }),
  max_tokens: z.number().optional().catch(undefined),
  max_completion_tokens: z.number().optional().catch(undefined),
  max_output_tokens: z.number().optional().catch(undefined),
  n: z.int().min(1).catch(1),
})

export type ChatRequest = z.output<typeof chatRequest>

export function parseChatRequest(body: unknown): ChatRequest {
  return chatRequest.parse(body !== null && typeof body === 'object' ? body : {})
}

/** OpenRouter's fee if the operator's own key is billed. */
const BYOK_FEE = 0.05

/** `usage` as written by OpenAI and OpenRouter: the truth, unless the answer says otherwise. */
export function formatUsage(generation: Generation, answer: Answer): Record<string, unknown> {
  const { choiceCount, outputTokenCount, reasoningTokenCount } = generation
  const prompt = promptOf(generation)
  const promptTokens = answer.promptTokens ?? prompt.tokenCount
  const completionTokens = outputTokenCount * choiceCount
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...formatCost(generation, answer),
    prompt_tokens_details: {
      cached_tokens: generation.cachedTokenCount,
      ...(prompt.cacheWriteTokenCount > 0 && { cache_write_tokens: prompt.cacheWriteTokenCount }),
      audio_tokens: prompt.soundTokenCount,
    },
    completion_tokens_details: { reasoning_tokens: reasoningTokenCount * choiceCount, audio_tokens: 0 },
    ...(generation.searchCount > 0 && { server_tool_use: { web_search_requests: generation.searchCount } }),
  }
}

function formatCost(generation: Generation, answer: Answer): Record<string, unknown> {
  const costUsd = reportedCostUsd(generation, answer)
  if (costUsd === undefined) return {}
  if (!answer.byok) return { cost: costUsd, is_byok: false }
  const inference = costUsd / (1 + BYOK_FEE)
  return {
    cost: costUsd - inference,
    is_byok: true,
    cost_details: { upstream_inference_cost: inference },
  }
}

/** The cost that the answer reports; undefined if it reports none. */
function reportedCostUsd(generation: Generation, { costUsd }: Answer): number | undefined {
  return costUsd === 'billed' ? Number(billOf(generation).usd) : costUsd
}

export interface Envelope {
  id: string
  /** Null leaves the name of the model out. */
  model: string | null
  /** The tier at which it was served, if one was requested. */
  serviceTier: string | null
  provider: string | null
}

export function formatChunk(
  { id, model, serviceTier, provider }: Envelope,
  choices: unknown[],
  rest: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    id,
    ...(provider !== null && { provider }),
    object: 'chat.completion.chunk',
    created: CREATED_SECONDS,
    ...(model !== null && { model }),
    ...(serviceTier !== null && { service_tier: serviceTier }),
    system_fingerprint: 'fp_standin',
    choices,
    ...rest,
  }
}

export function formatChoice(delta: Record<string, unknown>, finishReason: string | null = null, index = 0) {
  return { index, delta, logprobs: null, finish_reason: finishReason }
}

/** The delta of a step with output; null for steps that only steer. */
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
    case 'part':
      return { content: [{ type: 'text', text: step.text }] }
    case 'audio':
      return { audio: { id: 'audio_standin', data: step.data } }
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
  { id, model, serviceTier }: Envelope,
  input: { deltas: Step[]; finishReason: string | null; usage: unknown; choiceCount: number },
): Record<string, unknown> {
  const textOf = (type: 'text' | 'reasoning' | 'part') =>
    input.deltas.flatMap(step => (step.type === type ? [step.text] : [])).join('')
  const parts = textOf('part')
  const sound = input.deltas.flatMap(step => (step.type === 'audio' ? [step.data] : [])).join('')
  const reasoning = textOf('reasoning')
  const images = input.deltas.flatMap(step =>
    step.type === 'image' ? [{ type: 'image_url', image_url: { url: step.url } }] : [],
  )
  const toolCalls = mergeToolCalls(input.deltas)
  const message = {
    role: 'assistant',
    content: parts ? [{ type: 'text', text: parts }] : textOf('text') || (toolCalls.length > 0 ? null : ''),
    refusal: null,
    ...(sound === '' ? {} : { audio: { id: 'audio_standin', data: sound } }),
    ...(reasoning === '' ? {} : { reasoning }),
    ...(images.length === 0 ? {} : { images }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  }
  return {
    id,
    object: 'chat.completion',
    created: CREATED_SECONDS,
    ...(model !== null && { model }),
    ...(serviceTier !== null && { service_tier: serviceTier }),
    choices: Array.from({ length: input.choiceCount }, (_, index) => ({
      index,
      message,
      logprobs: null,
      finish_reason: input.finishReason,
    })),
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
