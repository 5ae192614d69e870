import { type CompletionRequest, lastMessage } from './completion-request'
import { exampleOf } from './example-of'

export interface SandboxToolCall {
  name: string
  /** JSON, as OpenAI sends it. */
  arguments: string
}

/**
 * A practice model that is given tools calls one (the one asked for, else the first) with arguments that
 * fit its schema, and answers in words once the result is there.
 */
export function composeToolCall(request: CompletionRequest): SandboxToolCall | null {
  if (request.tool_choice === 'none' || lastMessage(request).role === 'tool') return null
  const tools = (request.tools ?? []).flatMap(tool => tool?.function ?? [])
  const asked = typeof request.tool_choice === 'object' ? request.tool_choice?.function.name : undefined
  const tool = tools.find(candidate => asked === undefined || candidate.name === asked)
  return tool ? { name: tool.name, arguments: JSON.stringify(exampleOf(tool.parameters) ?? {}) } : null
}
