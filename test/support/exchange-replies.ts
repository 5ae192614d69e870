import 'server-only'
import type { ExchangeReply } from '@/lib/exchange/engine/reply'
import { streamOf } from '@/lib/http/direct-response'

export function responseTo({ status, headers, body }: ExchangeReply): Response {
  return new Response(streamOf(body), { status, headers })
}

export async function readAll(reply: ExchangeReply): Promise<string> {
  return responseTo(reply).text()
}

export interface ImageAnswer {
  created: number
  data: Record<string, string>[]
  usage: Record<string, unknown>
}

export async function readImageAnswer(reply: ExchangeReply): Promise<ImageAnswer> {
  return (await responseTo(reply).json()) as ImageAnswer
}

export async function bytesOf(reply: ExchangeReply): Promise<Buffer> {
  return Buffer.from(await responseTo(reply).arrayBuffer())
}

/** The JSON of every event in a stream, `[DONE]` as it is. */
export function parseEvents(stream: string): Record<string, unknown>[] {
  return stream
    .split('\n\n')
    .flatMap(event => event.split('\n').filter(line => line.startsWith('data: ')))
    .map(line => (line === 'data: [DONE]' ? { done: true } : JSON.parse(line.slice('data: '.length))))
}

/** The usage in our own last chunk. */
export function usageOf(stream: string): Record<string, unknown> {
  const found = parseEvents(stream).flatMap(event =>
    event.usage ? [event.usage as Record<string, unknown>] : [],
  )
  if (found.length !== 1 || !found[0]) throw new Error(`expected one usage, found ${found.length}`)
  return found[0]
}

export function textOf(stream: string): string {
  return parseEvents(stream)
    .map(
      event => (event.choices as { delta?: { content?: string } }[] | undefined)?.[0]?.delta?.content ?? '',
    )
    .join('')
}

/** A reader that can be told how far to read, and when to leave. */
export function openReader(reply: ExchangeReply) {
  const reader = responseTo(reply).body?.getReader()
  if (!reader) throw new Error('The reply has no body.')
  const decoder = new TextDecoder()
  let seen = ''
  return {
    /** Reads everything up to and including the event that contains the text. */
    async readUntil(text: string): Promise<string> {
      while (!seen.includes(text)) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`the stream ended without ${text}: ${seen}`)
        seen += decoder.decode(value, { stream: true })
      }
      return seen
    },
    /** Everything, once the stream has ended. */
    async readToEnd(): Promise<string> {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return seen
        seen += decoder.decode(value, { stream: true })
      }
    },
    leave: () => reader.cancel(),
  }
}
