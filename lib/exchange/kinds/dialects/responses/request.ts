import { type ChatMessage, defined, noteOfResult, type Part } from '../chat-message'
import { type Thought, unsealThought } from '../thoughts'
import type { ContentPart, InputItem, ItemOf, ResponsesRequest } from './contract'
import { functionName, LOCAL_SHELL, toolsOf, toolsToChat } from './tools'

/** The request as a chat completion. */
export function responsesToChat(request: ResponsesRequest): { model: string } & Record<string, unknown> {
  const { text, reasoning, tool_choice: choice } = request
  const tools = toolsOf(request).flatMap(toolsToChat)
  return defined({
    model: request.model,
    messages: messagesOf(request),
    max_tokens: request.max_output_tokens,
    stream: request.stream,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: choice && tools.length > 0 ? toolChoiceToChat(choice) : undefined,
    parallel_tool_calls: tools.length > 0 ? request.parallel_tool_calls : undefined,
    reasoning: reasoning?.effort ? { effort: reasoning.effort } : undefined,
    response_format: text?.format ? formatToChat(text.format) : undefined,
    verbosity: text?.verbosity,
    temperature: request.temperature,
    top_p: request.top_p,
    user: request.user,
    safety_identifier: request.safety_identifier,
    prompt_cache_key: request.prompt_cache_key,
    service_tier: request.service_tier,
    provider: request.provider,
  })
}

function messagesOf({ instructions, input }: ResponsesRequest): ChatMessage[] {
  const said: readonly InputItem[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const items = said.filter((item): item is SaidItem => !('tools' in item))
  const start = items.findIndex(item => !isInstruction(item))
  const leading = start === -1 ? items : items.slice(0, start)
  // Many models accept instructions only in one message, at the beginning.
  const parts = leading.flatMap(item => ('role' in item ? partsOf(item.content) : []))
  const texts = [instructions, ...parts.map(({ text }) => text)].filter(text => text)
  const conversation = new Conversation()
  for (const item of items.slice(leading.length)) conversation.add(item)
  const system = texts.length > 0 ? [{ role: 'system', content: texts.join('\n\n') }] : []
  return [...system, ...conversation.end()]
}

type SaidItem = Exclude<InputItem, { tools: unknown }>

/** Only if it is all text. A picture stays in its item, where a host that speaks Responses reads it. */
function isInstruction(item: SaidItem): boolean {
  if (!('role' in item) || item.role === 'user' || item.role === 'assistant') return false
  return partsOf(item.content).every(({ type }) => type === 'text')
}

/** Turns items into messages; consecutive items of the model become one message. */
class Conversation {
  readonly #messages: ChatMessage[] = []
  #said = nothingSaid()
  /** What follows the last of several results; see `noteOfResult`. */
  #attached: Part[] = []

  add(item: SaidItem): void {
    if ('output' in item) this.#addResult(item)
    else if ('role' in item) this.#addMessage(item)
    else {
      this.#endResults()
      if (item.type === 'reasoning') this.#said.thoughts.push(...thoughtsOf(item))
      else this.#said.calls.push(callToChat(item))
    }
  }

  end(): ChatMessage[] {
    this.#endTurn()
    this.#endResults()
    return this.#messages
  }

  #addMessage({ role, content }: Extract<InputItem, { role: string }>): void {
    this.#endResults()
    const parts = partsOf(content)
    if (role === 'assistant') {
      this.#said.parts.push(...parts)
      return
    }
    this.#endTurn()
    this.#messages.push({ role: role === 'user' ? 'user' : 'system', content: contentOf(parts) })
  }

  #addResult(item: Extract<InputItem, { output: unknown }>): void {
    this.#endTurn()
    const id = item.call_id ?? ('id' in item ? item.id : null) ?? ''
    const parts = partsOf(item.output)
    const texts = parts.filter(({ type }) => type === 'text')
    this.#messages.push({ role: 'tool', tool_call_id: id, content: texts.length > 0 ? contentOf(texts) : '' })
    const others = parts.filter(({ type }) => type !== 'text')
    if (others.length === 0) return
    this.#attached.push(noteOfResult(id), ...others)
  }

  #endResults(): void {
    if (this.#attached.length === 0) return
    this.#messages.push({ role: 'user', content: this.#attached })
    this.#attached = []
  }

  #endTurn(): void {
    const { parts, calls, thoughts } = this.#said
    this.#said = nothingSaid()
    if (parts.length + calls.length + thoughts.length === 0) return
    this.#messages.push({
      role: 'assistant',
      content: parts.length > 0 ? contentOf(parts) : calls.length > 0 ? null : '',
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(thoughts.length > 0 && { reasoning_details: thoughts }),
    })
  }
}

type Call = ItemOf<'function_call'> | ItemOf<'custom_tool_call'> | ItemOf<'local_shell_call'>

function callToChat(item: Call): Record<string, unknown> {
  const [name, text] = calledAs(item)
  return { id: item.call_id, type: 'function', function: { name, arguments: text } }
}

function calledAs(item: Call): [name: string, text: string] {
  switch (item.type) {
    case 'function_call':
      return [functionName(item.name, item.namespace), item.arguments]
    case 'custom_tool_call':
      return [functionName(item.name, item.namespace), JSON.stringify({ input: item.input })]
    case 'local_shell_call':
      return [LOCAL_SHELL, JSON.stringify(item.action)]
  }
}

function nothingSaid(): { parts: Part[]; calls: Record<string, unknown>[]; thoughts: Thought[] } {
  return { parts: [], calls: [], thoughts: [] }
}

/** Reasoning that another host encrypted cannot be used; the model reasons anew. */
function thoughtsOf({ summary, encrypted_content: seal }: ItemOf<'reasoning'>): Thought[] {
  const words = (summary ?? []).map(({ text }) => text).join('')
  const thought = unsealThought(seal, words)
  return thought ? [thought] : []
}

function partsOf(content: string | readonly ContentPart[]): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.map(part => {
    switch (part.type) {
      case 'refusal':
        return { type: 'text', text: part.refusal }
      case 'input_image': {
        const { image_url: url, detail } = part
        return { type: 'image_url', image_url: detail ? { url, detail } : { url } }
      }
      case 'input_file': {
        const file = {
          filename: part.filename || 'file.pdf',
          file_data: part.file_data ?? part.file_url ?? '',
        }
        return { type: 'file', file }
      }
      case 'input_audio':
        return part
      default:
        return { type: 'text', text: part.text }
    }
  })
}

/** A single text is sent as a string, which every host accepts. */
function contentOf(parts: readonly Part[]): string | Part[] {
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' ? String(only.text) : [...parts]
}

function toolChoiceToChat(choice: NonNullable<ResponsesRequest['tool_choice']>): unknown {
  if (typeof choice === 'string') return choice
  return choice.type === 'allowed_tools' ? choice.mode : { type: 'function', function: { name: choice.name } }
}

function formatToChat(
  format: NonNullable<NonNullable<ResponsesRequest['text']>['format']>,
): Record<string, unknown> | undefined {
  if (format.type === 'text') return undefined
  if (format.type === 'json_object') return { type: 'json_object' }
  const { name, schema, strict, description } = format
  return { type: 'json_schema', json_schema: defined({ name, schema, strict, description }) }
}
