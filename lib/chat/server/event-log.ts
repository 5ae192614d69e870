import 'server-only'
import { READ_AHEAD_BYTES_MAX, TRANSCRIPT_BYTES_MAX } from '@/lib/ledger/domain/metering-limits'
import type { Sink } from '@/lib/ledger/server/metering/sink'
import { BLOCK_BYTES, type EventBlock, packBlock } from './event-block'
import { numberEvents } from './number-events'

export interface EventLog extends Sink {
  /**
   * The answer from behind event `afterEvent` on, past and to come; null when that part is no longer
   * kept. `onGone` when the reader leaves before the end.
   */
  read(input: { afterEvent: number; onGone: () => void }): ReadableStream<Uint8Array> | null
  /** Every event, once the log has ended; null when the first ones had to make way. */
  events(): readonly Buffer[] | null
}

interface Reader {
  controller: ReadableStreamDefaultController<Uint8Array>
  position: number
}

/**
 * Keeps an answer for readers that come, leave and come back, each at its own pace. What is past is
 * packed; the oldest makes way beyond the bound, and a reader still waiting for that is cut off.
 */
export function createEventLog(input: { numbered: boolean; bytesMax?: number }): EventLog {
  const bytesMax = input.bytesMax ?? TRANSCRIPT_BYTES_MAX
  const readers = new Set<Reader>()
  const blocks: EventBlock[] = []
  let blockBytes = 0
  let recent: Buffer[] = []
  let recentBytes = 0
  let recentIndex = 0
  let ended = false

  const eventCount = () => recentIndex + recent.length
  const firstKept = () => blocks[0]?.firstIndex ?? recentIndex

  function append(event: Buffer): void {
    recent.push(event)
    recentBytes += event.length
  }

  /** After the readers were fed, so that those who keep up never unpack anything. */
  function pack(): void {
    if (recentBytes < BLOCK_BYTES) return
    blocks.push(packBlock(recentIndex, recent, recentBytes))
    blockBytes += recentBytes
    recentIndex += recent.length
    recent = []
    recentBytes = 0
    while (blockBytes > bytesMax) blockBytes -= blocks.shift()?.byteCount ?? blockBytes
  }

  /** The events that follow a position, as many as are kept together. */
  function eventsFrom(position: number): readonly Buffer[] {
    if (position >= recentIndex)
      return position === recentIndex ? recent : recent.slice(position - recentIndex)
    const block = blocks.findLast(({ firstIndex }) => firstIndex <= position)
    return block?.events().slice(position - block.firstIndex) ?? []
  }

  /** Hands on what the reader has not seen, as long as it has room. */
  function feed(reader: Reader): void {
    if (reader.position < firstKept()) {
      readers.delete(reader)
      reader.controller.error(new Error('The reader fell too far behind.'))
      return
    }
    while (reader.position < eventCount() && (reader.controller.desiredSize ?? 0) > 0) {
      const events = eventsFrom(reader.position)
      reader.position += events.length
      const [only] = events
      if (only) reader.controller.enqueue(events.length === 1 ? only : Buffer.concat(events))
    }
    if (!ended || reader.position < eventCount()) return
    readers.delete(reader)
    reader.controller.close()
  }

  function feedAll(): void {
    for (const reader of readers) feed(reader)
  }

  return {
    write(bytes) {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      if (input.numbered) for (const event of numberEvents(buffer, eventCount() + 1)) append(event)
      else append(buffer)
      feedAll()
      pack()
      return true
    },
    end() {
      ended = true
      feedAll()
    },
    wantsMore: () => true,
    onReady() {},
    read({ afterEvent, onGone }) {
      if (afterEvent < firstKept() || afterEvent > eventCount()) return null
      let reader: Reader | null = null
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            reader = { controller, position: afterEvent }
            readers.add(reader)
          },
          pull() {
            if (reader && readers.has(reader)) feed(reader)
          },
          cancel() {
            if (reader && readers.delete(reader)) onGone()
          },
        },
        { highWaterMark: READ_AHEAD_BYTES_MAX, size: chunk => chunk.byteLength },
      )
    },
    events() {
      if (!ended || firstKept() > 0) return null
      return [...blocks.flatMap(block => block.events()), ...recent]
    },
  }
}
