import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import { measurePrompt } from '@/lib/catalogue/domain/measure-prompt'
import { TOKENS_PER_MESSAGE } from '@/lib/catalogue/domain/prompt-tokens'
import { type CompletionRequest, lastMessage } from './completion-request'
import { composeAnswer, type SandboxAnswer } from './compose-answer'
import { exampleOf } from './example-of'
import { splitTokens } from './split-tokens'

const TOKENS_PER_IMAGE = 300

/** A complete answer in pieces, and its token counts. */
export interface CompletionPlan {
  reasoningTokens: string[]
  textTokens: string[]
  toolCall: SandboxToolCall | null
  /** `error`: breaks off with an in-band error instead of ending. */
  finishReason: 'stop' | 'length' | 'tool_calls' | 'error'
  pace: SandboxAnswer['pace']
  usage: CompletionUsage
}

interface CompletionUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details: { cached_tokens: number }
  completion_tokens_details: { reasoning_tokens: number }
}

/**
 * Decides the answer, cut where max_tokens ends it. Reasoning counts as output and comes first.
 * @param sent the original request, whose tools, tool calls and results are counted, too
 */
export function planCompletion(request: CompletionRequest, sent: unknown): CompletionPlan {
  const toolCall = composeToolCall(request)
  if (toolCall) {
    const tokenCount = splitTokens(toolCall.name + toolCall.arguments).length
    const usage = usageOf(sent, { outputTokenCount: tokenCount, reasoningTokenCount: 0 })
    return { reasoningTokens: [], textTokens: [], toolCall, finishReason: 'tool_calls', pace: 'usual', usage }
  }
  const answer = composeAnswer(request)
  const tokensMax = request.max_completion_tokens ?? request.max_tokens ?? Number.POSITIVE_INFINITY
  const reasoning = splitTokens(answer.reasoning)
  const text = splitTokens(answer.text)
  const spoken = answer.failsMidway ? text.slice(0, Math.ceil(text.length / 2)) : text
  const reasoningTokens = reasoning.slice(0, tokensMax)
  const textTokens = spoken.slice(0, tokensMax - reasoningTokens.length)
  const cut = reasoningTokens.length + textTokens.length < reasoning.length + spoken.length
  return {
    reasoningTokens,
    textTokens,
    toolCall: null,
    finishReason: cut ? 'length' : answer.failsMidway ? 'error' : 'stop',
    pace: answer.pace,
    usage: usageOf(sent, {
      outputTokenCount: reasoningTokens.length + textTokens.length,
      reasoningTokenCount: reasoningTokens.length,
    }),
  }
}

function usageOf(
  sent: unknown,
  counts: { outputTokenCount: number; reasoningTokenCount: number },
): CompletionUsage {
  const { messageCount, imageCount, texts } = measurePrompt(sent)
  const promptTokenCount = [...texts()].reduce(
    (sum, text) => sum + estimateTokens(text),
    messageCount * TOKENS_PER_MESSAGE + imageCount * TOKENS_PER_IMAGE,
  )
  return {
    prompt_tokens: promptTokenCount,
    completion_tokens: counts.outputTokenCount,
    total_tokens: promptTokenCount + counts.outputTokenCount,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: counts.reasoningTokenCount },
  }
}

interface SandboxToolCall {
  name: string
  /** JSON, as OpenAI sends it. */
  arguments: string
}

/**
 * A practice model with tools calls one (the requested one, otherwise the first) with arguments that match its schema,
 * and answers in words once there is a result.
 */
function composeToolCall(request: CompletionRequest): SandboxToolCall | null {
  if (request.tool_choice === 'none' || lastMessage(request).role === 'tool') return null
  const tools = (request.tools ?? []).flatMap(tool => tool?.function ?? [])
  const asked = typeof request.tool_choice === 'object' ? request.tool_choice?.function.name : undefined
  const tool = tools.find(candidate => asked === undefined || candidate.name === asked)
  return tool ? { name: tool.name, arguments: JSON.stringify(exampleOf(tool.parameters) ?? {}) } : null
}
