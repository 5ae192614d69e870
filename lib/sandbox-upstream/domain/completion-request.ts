import { z } from 'zod'

const textPart = z.object({ type: z.literal('text'), text: z.string() })
const imagePart = z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) })
const filePart = z.object({ type: z.literal('file'), file: z.object({ filename: z.string().optional() }) })
const otherPart = z.looseObject({ type: z.string() }).transform(() => null)
const part = z.union([textPart, imagePart, filePart, otherPart])

const message = z.object({
  role: z.string(),
  content: z.union([z.string(), z.array(part)]).nullish(),
})

const functionTool = z.object({
  type: z.literal('function'),
  function: z.object({ name: z.string(), parameters: z.unknown().optional() }),
})

/** The part of a chat request that the sandbox upstream reads; the rest is accepted and ignored. */
export const completionRequest = z.object({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  tools: z.array(z.union([functionTool, z.looseObject({}).transform(() => null)])).nullish(),
  tool_choice: z
    .union([z.enum(['none', 'auto', 'required']), z.object({ function: z.object({ name: z.string() }) })])
    .nullish(),
  response_format: z
    .object({ type: z.string(), json_schema: z.object({ schema: z.unknown() }).nullish() })
    .nullish(),
})

/** Before it is parsed. */
export type CompletionQuestion = z.input<typeof completionRequest>
export type CompletionRequest = z.output<typeof completionRequest>
type Message = CompletionRequest['messages'][number]

export function promptText({ content }: Message): string {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap(item => (item?.type === 'text' ? [item.text] : [])).join('\n')
}

export function imageUrlsOf({ content }: Message): string[] {
  if (typeof content === 'string') return []
  return (content ?? []).flatMap(item => (item?.type === 'image_url' ? [item.image_url.url] : []))
}

export function fileNamesOf({ content }: Message): string[] {
  if (typeof content === 'string') return []
  return (content ?? []).flatMap(item => (item?.type === 'file' ? [item.file.filename ?? 'a document'] : []))
}

/** The message to be answered: the last one. */
export function lastMessage(request: CompletionRequest): Message {
  return request.messages.at(-1) ?? { role: 'user', content: '' }
}
