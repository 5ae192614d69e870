import { parseJsonObject } from '@/lib/upstream/read-body'
import { defined } from '../chat-message'
import type { ClientTool, ResponsesRequest, ResponsesTool } from './contract'

/** A tool of this dialect as a function, which all tools of chat completions are. */
interface ToolName {
  kind: 'function' | 'custom' | 'local_shell'
  name: string
  namespace: string | null
}

export type ToolNames = ReadonlyMap<string, ToolName>

export const LOCAL_SHELL = 'local_shell'

/** A function's name in chat completions, since tools in different groups may have the same name. */
export function functionName(name: string, namespace: string | null | undefined): string {
  return namespace ? `${namespace}__${name}` : name
}

/** The tools of the request, and those within its conversation. */
export function toolsOf({ tools, input }: ResponsesRequest): ResponsesTool[] {
  const items = typeof input === 'string' ? [] : input
  return [...(tools ?? []), ...items.flatMap(item => ('tools' in item ? item.tools : []))]
}

export function toolNamesOf(request: ResponsesRequest): ToolNames {
  return new Map(
    toolsOf(request).flatMap((tool): [string, ToolName][] => {
      switch (tool.type) {
        case 'function':
        case 'custom':
          return [[tool.name, { kind: tool.type, name: tool.name, namespace: null }]]
        case 'local_shell':
          return [[LOCAL_SHELL, { kind: 'local_shell', name: LOCAL_SHELL, namespace: null }]]
        case 'namespace':
          return tool.tools.map(({ type: kind, name }) => [
            functionName(name, tool.name),
            { kind, name, namespace: tool.name },
          ])
        default:
          return []
      }
    }),
  )
}

export function toolsToChat(tool: ResponsesTool): Record<string, unknown>[] {
  switch (tool.type) {
    case 'function':
    case 'custom':
      return [toFunction(tool, tool.name)]
    case 'local_shell':
      return [{ type: 'function', function: LOCAL_SHELL_FUNCTION }]
    case 'namespace':
      return tool.tools.map(each => toFunction(each, functionName(each.name, tool.name)))
    default:
      return []
  }
}

function toFunction(tool: ClientTool, name: string): Record<string, unknown> {
  if (tool.type === 'custom') return { type: 'function', function: customFunction(tool, name) }
  const { description, parameters, strict } = tool
  return { type: 'function', function: defined({ name, description, parameters, strict }) }
}

/** Few hosts know tools with free-form input: it becomes the only field of an object. */
function customFunction({ description, format }: Extract<ClientTool, { type: 'custom' }>, name: string) {
  const grammar =
    typeof format?.definition === 'string' ? `The input follows this grammar:\n${format.definition}` : ''
  return {
    name,
    description: [description, grammar].filter(text => text).join('\n\n'),
    parameters: {
      type: 'object',
      properties: { input: { type: 'string' } },
      required: ['input'],
      additionalProperties: false,
    },
  }
}

const LOCAL_SHELL_FUNCTION = {
  name: LOCAL_SHELL,
  description: 'Runs a command on the computer of the user.',
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'array', items: { type: 'string' } },
      working_directory: { type: 'string' },
      timeout_ms: { type: 'integer' },
    },
    required: ['command'],
  },
}

/** A function call as an item of this dialect; `text` is its arguments. */
export function callItem(
  call: { id: string; name: string; text: string },
  names: ToolNames,
): { type: string } & Record<string, unknown> {
  const { kind, name, namespace } = names.get(call.name) ?? {
    kind: 'function',
    name: call.name,
    namespace: null,
  }
  const head = { call_id: call.id }
  const place = { name, ...(namespace && { namespace }) }
  if (kind === 'custom') return { type: 'custom_tool_call', ...head, ...place, input: inputOf(call.text) }
  if (kind === 'local_shell') {
    return {
      type: 'local_shell_call',
      ...head,
      action: { type: 'exec', env: {}, ...parseJsonObject(call.text) },
    }
  }
  const text = call.text === '' ? '{}' : call.text
  return { type: 'function_call', ...head, ...place, arguments: text }
}

/** A model may omit the object. */
function inputOf(text: string): string {
  const input = parseJsonObject(text)?.input
  return typeof input === 'string' ? input : text
}
