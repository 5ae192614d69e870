import { fieldsOf, isObject, listOf } from '@/lib/http/domain/is-object'
import type { ChatRequest } from './contract'

/** OpenRouter's plugin that reads PDFs (openrouter.ai/docs, "PDF Inputs"). */
const PARSER_ID = 'file-parser'
const FILE_PART_TYPES = new Set(['file', 'input_file', 'document'])
/** Costs the model's tokens, or nothing. Any other parser has a price per page, which no hold covers. */
const ENGINES_WITHIN_BOUND = new Set(['native', 'cloudflare-ai', 'pdf-text'])

/**
 * The body with a file parser whose cost lies within the hold. With a price per page, the cost would be known only
 * afterwards, and a cheap model's hold would not cover a thousand pages.
 */
export function withParserWithinBound(
  body: Record<string, unknown>,
  request: ChatRequest,
  takesFiles: boolean,
): Record<string, unknown> {
  const plugins = listOf(body.plugins)
  const named = plugins.find(isParser)
  if (named === undefined && !hasFile(request)) return body
  const pdf = fieldsOf(fieldsOf(named).pdf)
  const isWithinBound = typeof pdf.engine === 'string' && ENGINES_WITHIN_BOUND.has(pdf.engine)
  const engine = isWithinBound ? pdf.engine : takesFiles ? 'native' : 'cloudflare-ai'
  const parser = { ...fieldsOf(named), id: PARSER_ID, pdf: { ...pdf, engine } }
  return { ...body, plugins: [...plugins.filter(plugin => !isParser(plugin)), parser] }
}

/** Whether a file would be read by another service than the model. */
export function asksForeignParser(request: ChatRequest, takesFiles: boolean): boolean {
  const engine = request.plugins?.[0]?.pdf?.engine
  return (engine != null && engine !== 'native') || (!takesFiles && hasFile(request))
}

function isParser(plugin: unknown): boolean {
  return isObject(plugin) && plugin.id === PARSER_ID
}

function hasFile({ messages }: ChatRequest): boolean {
  return messages.some(
    ({ content }) => Array.isArray(content) && content.some(({ type }) => FILE_PART_TYPES.has(type)),
  )
}
