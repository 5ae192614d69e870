import type { z } from 'zod'
import type { CompletionRequest } from './completion-request'
import type { CompletionPlan } from './plan-completion'

/** Another API for asking a practice model, with its own format of answers. */
export interface SandboxDialect {
  request: z.ZodType<CompletionRequest>
  /** The events of a streamed answer, in order, each with its own name. */
  events(envelope: Envelope, plan: CompletionPlan): Iterable<{ type: string }>
  whole(envelope: Envelope, plan: CompletionPlan): object
}

export interface Envelope {
  id: string
  model: string
  createdSeconds: number
}

export const MIDWAY_ERROR = {
  error: {
    message: 'The practice model broke off, as you asked.',
    type: 'server_error',
    param: null,
    code: 502,
  },
}

/** The events of a streamed answer, in order, as JSON values; the sender adds `[DONE]` and framing. */
export function* formatEvents(
  envelope: Envelope,
  plan: CompletionPlan,
  includeUsage: boolean,
): Generator<object> {
  const chunk = (delta: object, finishReason: string | null = null) =>
    chunkOf(envelope, [{ index: 0, delta, logprobs: null, finish_reason: finishReason }])
  yield chunk({ role: 'assistant', content: '' })
  for (const token of plan.reasoningTokens) yield chunk({ content: '', reasoning: token })
  for (const token of plan.textTokens) yield chunk({ content: token })
  if (plan.toolCall) yield chunk({ tool_calls: [toolCallOf(envelope, plan.toolCall)] })
  if (plan.finishReason === 'error') {
    yield MIDWAY_ERROR
    return
  }
  yield chunk({}, plan.finishReason)
  if (includeUsage) yield { ...chunkOf(envelope, []), usage: plan.usage }
}

/** The same answer in one piece. */
export function formatWhole(envelope: Envelope, plan: CompletionPlan): object {
  const message = {
    role: 'assistant',
    content: plan.toolCall ? null : plan.textTokens.join(''),
    refusal: null,
    ...(plan.reasoningTokens.length > 0 ? { reasoning: plan.reasoningTokens.join('') } : {}),
    ...(plan.toolCall ? { tool_calls: [withoutIndex(envelope, plan.toolCall)] } : {}),
  }
  return {
    id: envelope.id,
    object: 'chat.completion',
    created: envelope.createdSeconds,
    model: envelope.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: plan.finishReason }],
    usage: plan.usage,
  }
}

function chunkOf({ id, model, createdSeconds }: Envelope, choices: object[]) {
  return { id, object: 'chat.completion.chunk', created: createdSeconds, model, choices }
}

function toolCallOf(envelope: Envelope, call: NonNullable<CompletionPlan['toolCall']>) {
  return { index: 0, ...withoutIndex(envelope, call) }
}

function withoutIndex({ id }: Envelope, call: NonNullable<CompletionPlan['toolCall']>) {
  return { id: `call_${id}`, type: 'function', function: { name: call.name, arguments: call.arguments } }
}
