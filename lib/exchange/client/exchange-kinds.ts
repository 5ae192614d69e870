import { createParser } from 'eventsource-parser'
import { fieldsOf, isObject, listOf } from '@/lib/http/domain/is-object'
import type { Conversation } from '@/lib/local/domain/conversation'
import { mediaTypeOf } from '@/lib/local/images/stored-image'
import { COMMENT_INTERVAL_MS } from '../domain/exchange-limits'
import { type Answer, REST_LOST } from './answer'
import { parseStreamEvent, readReceipt, reduceAnswer } from './read-answer'
import { chatRequest, pictureRequest } from './request-body'

/** What a message asks for: an answer in words, or a picture. */
export type ExchangeKindName = 'chat' | 'image'

/** What is particular to a kind of paid call in the browser's common loop. */
export interface ExchangeKind {
  readonly path: string
  /** After this long a silence a connection is dead, even if nothing says so. */
  readonly silenceMsMax: number
  /** The JSON of the request whose answer goes into message `answerId`. */
  readonly buildBody: (conversation: Conversation, answerId: string) => Promise<string>
  /** Reads one reply, from its beginning or after the last event that arrived. */
  readonly openReply: (update: UpdateAnswer) => ReplyReader
}

export type UpdateAnswer = (change: (answer: Answer) => Answer) => void

interface ReplyReader {
  write(text: string): void
  /** The reply was read to its end. @throws if it is no answer, so that it is requested again */
  end(): void
}

/** One event holds at most one drawn picture as a data URL; more than this is not an answer. */
const EVENT_LENGTH_MAX = 32 * 1024 * 1024

/** A stream of events. */
const chat: ExchangeKind = {
  path: '/v1/chat/completions',
  // A slow network may hold up one comment, and the next.
  silenceMsMax: 3 * COMMENT_INTERVAL_MS,
  buildBody: chatRequest,
  openReply(update) {
    const parser = createParser({
      maxBufferSize: EVENT_LENGTH_MAX,
      onEvent: ({ data, id }) => {
        const event = parseStreamEvent(data)
        if (event) update(answer => reduceAnswer(answer, event, parseEventId(id)))
      },
    })
    return { write: text => parser.feed(text), end: () => {} }
  },
}

/** One body of JSON. */
const image: ExchangeKind = {
  path: '/v1/images/generations',
  // Nothing comes before the picture: longer than the server waits for one, and shorter than it keeps one.
  silenceMsMax: 7 * 60_000,
  buildBody: pictureRequest,
  openReply(update) {
    const texts: string[] = []
    return {
      write: text => texts.push(text),
      // A body that was cut off is no JSON, and throws.
      end() {
        const drawing = readDrawing(JSON.parse(texts.join('')))
        update(answer => ({ ...answer, ...drawing, ended: true }))
      },
    }
  },
}

export const EXCHANGE_KINDS: Readonly<Record<ExchangeKindName, ExchangeKind>> = { chat, image }

function parseEventId(id: string | undefined): number | null {
  const number = Number(id === '' ? undefined : id)
  return Number.isSafeInteger(number) ? number : null
}

/** A body without a picture counts as lost, not as refused, since it may have been charged. */
function readDrawing(body: unknown): Partial<Answer> {
  const { data, usage } = fieldsOf(body)
  const imageUrls = listOf(data).flatMap(readPictureUrl)
  const { receipt, balanceUsd } = readReceipt(usage)
  return {
    imageUrls,
    receipt: receipt && { ...receipt, image_count: imageUrls.length },
    balanceUsd,
    error: imageUrls.length === 0 ? REST_LOST : null,
  }
}

function readPictureUrl(entry: unknown): string[] {
  if (!isObject(entry)) return []
  const { b64_json: bytes, url } = entry
  if (typeof bytes === 'string' && bytes !== '') return [`data:${mediaTypeOf(bytes)};base64,${bytes}`]
  return typeof url === 'string' && /^(https?:|data:image\/)/i.test(url) ? [url] : []
}
