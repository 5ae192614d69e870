import { createHash } from 'node:crypto'
import { type ChatMessage, defined, noteOfResult, type Part } from '../chat-message'
import type { Thought } from '../thoughts'
import type { BlockOf, MessageBlock, MessagesRequest, ResultBlock } from './contract'
import { redactedThought, signedThought } from './signatures'

/** The request as a chat completion. */
export function messagesToChat(request: MessagesRequest): { model: string } & Record<string, unknown> {
  const { tool_choice: choice, output_config: output, stop_sequences: stop, metadata } = request
  const tools = request.tools?.map(toolToChat)
  const messages = [...systemMessages(request.system), ...request.messages.flatMap(messageToChat)]
  return defined({
    model: request.model,
    messages,
    max_tokens: request.max_tokens,
    stream: request.stream,
    stop: stop?.length ? stop : undefined,
    temperature: request.temperature,
    top_p: request.top_p,
    top_k: request.top_k,
    tools: tools?.length ? tools : undefined,
    tool_choice: choice ? toolChoiceToChat(choice) : undefined,
    parallel_tool_calls:
      choice && choice.type !== 'none' && choice.disable_parallel_tool_use === true ? false : undefined,
    reasoning: reasoningOf(request.thinking),
    // As OpenRouter maps Anthropic's effort.
    verbosity: output?.effort,
    response_format: output?.format
      ? { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: output.format.schema } }
      : undefined,
    // Clients send a user id of any length. Hashed, a host can recognise a user, but not identify them.
    user: metadata?.user_id ? createHash('sha256').update(metadata.user_id).digest('hex') : undefined,
    cache_control: request.cache_control,
    provider: request.provider,
  })
}

function systemMessages(system: MessagesRequest['system']): ChatMessage[] {
  if (!system || system.length === 0) return []
  return [{ role: 'system', content: typeof system === 'string' ? system : textContent(system) }]
}

/** Reasoning and calls belong to the model, results to its user; anything in the wrong role is ignored. */
export function saidBlocks(
  role: MessagesRequest['messages'][number]['role'],
  content: readonly MessageBlock[],
): MessageBlock[] {
  const said = content.filter(block => {
    if (block.type === 'tool_result') return role !== 'assistant'
    if (block.type === 'tool_use') return role === 'assistant'
    return !isThought(block) || (role === 'assistant' && thoughtOf(block).length > 0)
  })
  return said.map(block => (block.type === 'tool_result' ? withToolsNamed(block) : block))
}

/** `defer_loading` is left out, so that a tool is there as soon as the client sends it. The model is told by its name. */
function withToolsNamed(block: BlockOf<'tool_result'>): BlockOf<'tool_result'> {
  const { content } = block
  if (typeof content === 'string' || !content) return block
  const named = content.map(part => {
    if (part.type !== 'tool_reference') return part
    const { tool_name: tool, cache_control } = part
    return { type: 'text' as const, text: `The tool ${tool} can be called now.`, cache_control }
  })
  return { ...block, content: named }
}

function isThought({ type }: MessageBlock): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

function messageToChat({ role, content: told }: MessagesRequest['messages'][number]): ChatMessage[] {
  if (typeof told === 'string') return [{ role, content: told }]
  const content = saidBlocks(role, told)
  if (role === 'assistant') return [assistantMessage(content)]
  const results = content.filter(block => block.type === 'tool_result')
  const parts = content.flatMap(block => (block.type === 'tool_result' ? [] : partsOf(block)))
  const more = results.flatMap(attachments)
  const said = [...more, ...parts]
  const isEmpty = results.length + said.length === 0
  return [
    ...results.map(resultMessage),
    ...(said.length > 0 || isEmpty ? [{ role, content: isEmpty ? '' : said }] : []),
  ]
}

function assistantMessage(content: readonly MessageBlock[]): ChatMessage {
  const texts = content.filter(block => block.type === 'text')
  const calls = content.filter(block => block.type === 'tool_use')
  const thoughts = content.flatMap(thoughtOf)
  const others = content.filter(({ type }) => type === 'image' || type === 'document')
  const parts = others.length > 0 ? content.flatMap(partsOf) : null
  return {
    role: 'assistant',
    content: parts ?? (texts.length > 0 ? textContent(texts) : calls.length > 0 ? null : ''),
    ...(calls.length > 0 && { tool_calls: calls.map(callToChat) }),
    ...(thoughts.length > 0 && { reasoning_details: thoughts }),
  }
}

function callToChat({ id, name, input }: BlockOf<'tool_use'>): Record<string, unknown> {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } }
}

function thoughtOf(block: MessageBlock): Thought[] {
  const thought =
    block.type === 'thinking'
      ? signedThought(block.thinking, block.signature)
      : block.type === 'redacted_thinking'
        ? redactedThought(block.data)
        : null
  return thought ? [thought] : []
}

/** A failed call is marked in the text, since chat completions have no field for that. */
const FAILED = 'The tool call failed:'

function resultMessage(block: BlockOf<'tool_result'>): ChatMessage {
  const { tool_use_id: tool_call_id, content, is_error: isError, cache_control } = block
  const blocks = typeof content === 'string' ? [textBlock(content)] : (content ?? [])
  const parts = blocks.filter(({ type }) => type !== 'image').flatMap(partsOf)
  const texts = [...(isError ? [textBlock(FAILED)] : []), ...parts.filter(isTextPart)]
  const marked = cache_control ? markLast(texts, cache_control) : texts
  return { role: 'tool', tool_call_id, content: marked.length > 0 ? textContent(marked) : '' }
}

function attachments({ tool_use_id: id, content }: BlockOf<'tool_result'>): Part[] {
  if (typeof content === 'string' || !content) return []
  const parts = content.flatMap(partsOf).filter(part => !isTextPart(part))
  return parts.length > 0 ? [noteOfResult(id), ...parts] : []
}

/** The content of a block, in parts; reasoning and calls have their own fields in a message. */
function partsOf(block: MessageBlock | ResultBlock): Part[] {
  switch (block.type) {
    case 'text':
      return [textPart(block.text, block.cache_control)]
    case 'image': {
      const { source } = block
      const url = source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`
      return [defined({ type: 'image_url', image_url: { url }, cache_control: block.cache_control })]
    }
    case 'document':
      return documentParts(block)
    case 'search_result': {
      const texts = block.content.map(({ text }) => text)
      const said = [`${block.title}\n${block.source}`, ...texts].join('\n\n')
      return [textPart(said, block.cache_control)]
    }
    default:
      return []
  }
}

function documentParts(block: BlockOf<'document'>): Part[] {
  const { source, title, context, cache_control } = block
  const about = [title, context].filter(text => text).join('\n')
  if (source.type === 'text')
    return [textPart(about ? `${about}\n\n${source.data}` : source.data, cache_control)]
  if (source.type === 'content') {
    const inner = typeof source.content === 'string' ? [textBlock(source.content)] : source.content
    const parts = [...(about ? [textBlock(about)] : []), ...inner.flatMap(partsOf)]
    return cache_control ? markLast(parts, cache_control) : parts
  }
  const file_data = source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`
  const file = { filename: title || 'document.pdf', file_data }
  const part = defined({ type: 'file', file, cache_control })
  return context ? [textBlock(context), part] : [part]
}

function toolToChat(tool: NonNullable<MessagesRequest['tools']>[number]): Record<string, unknown> {
  const { name, description, input_schema: parameters, strict, cache_control } = tool
  const called = defined({ name, description, parameters, strict })
  return defined({ type: 'function', function: called, cache_control })
}

function toolChoiceToChat(choice: NonNullable<MessagesRequest['tool_choice']>): unknown {
  if (choice.type === 'tool') return { type: 'function', function: { name: choice.name } }
  return choice.type === 'any' ? 'required' : choice.type
}

/** If reasoning is disabled, the model's default applies, since not every model can be kept from reasoning. */
function reasoningOf(thinking: MessagesRequest['thinking']): Record<string, unknown> | undefined {
  if (!thinking || thinking.type === 'disabled') return undefined
  return thinking.type === 'enabled' ? { max_tokens: thinking.budget_tokens } : { enabled: true }
}

/** A single text is sent as a string, which every host accepts; cache marks need parts. */
function textContent(texts: readonly Part[]): string | Part[] {
  const [only] = texts
  if (texts.length === 1 && only && !only.cache_control) return String(only.text)
  return texts.map(({ text, cache_control }) => textPart(String(text), cache_control))
}

function textBlock(text: string): { type: 'text'; text: string } {
  return { type: 'text', text }
}

function textPart(text: string, cacheControl: unknown): Part {
  return cacheControl ? { type: 'text', text, cache_control: cacheControl } : { type: 'text', text }
}

function isTextPart({ type }: Part): boolean {
  return type === 'text'
}

function markLast(parts: readonly Part[], cacheControl: unknown): Part[] {
  return parts.map((part, index) =>
    index === parts.length - 1 ? { ...part, cache_control: cacheControl } : part,
  )
}
