import { createParser } from 'eventsource-parser'
import { parseStreamEvent, type StreamEvent } from './stream-event'

/** One event holds at most one drawn picture as a data URL; more than this is not an answer. */
const EVENT_LENGTH_MAX = 32 * 1024 * 1024

export type EventListener = (event: StreamEvent, eventId: number | null) => void

/**
 * Reads server-sent events until the body ends. Rejects when the connection breaks or is aborted;
 * events that are not understood are skipped.
 */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: EventListener,
  onBytes: () => void,
): Promise<void> {
  const parser = createParser({
    maxBufferSize: EVENT_LENGTH_MAX,
    onEvent: ({ data, id }) => {
      const event = parseStreamEvent(data)
      if (event) onEvent(event, parseEventId(id))
    },
  })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onBytes()
      parser.feed(decoder.decode(value, { stream: true }))
    }
  } finally {
    reader.releaseLock()
  }
}

function parseEventId(id: string | undefined): number | null {
  const number = Number(id === '' ? undefined : id)
  return Number.isSafeInteger(number) ? number : null
}
