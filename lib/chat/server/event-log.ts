import 'server-only'
import { READ_AHEAD_BYTES_MAX, TRANSCRIPT_BYTES_MAX } from '../domain/exchange-limits'
import { numberEvents } from './number-events'
import type { Sink } from './sink'

/** What an entry costs beside its bytes: the objects around them. */
const ENTRY_OVERHEAD_BYTES = 128
/** Removing from the front of the list is put off until it is worth a copy. */
const TRIM_COUNT_MIN = 1_024
const DROPPED = Buffer.alloc(0)

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
 * Keeps an answer for readers that come, leave and come back, each at its own pace. The oldest events
 * make way beyond the bound; a reader still waiting for those is cut off.
 */
export function createEventLog(input: { numbered: boolean; bytesMax?: number }): EventLog {
  const bytesMax = input.bytesMax ?? TRANSCRIPT_BYTES_MAX
  const readers = new Set<Reader>()
  let entries: Buffer[] = []
  let droppedCount = 0
  let firstKept = 0
  let byteCount = 0
  let ended = false

  const entryCount = () => droppedCount + entries.length

  function append(entry: Buffer): void {
    entries.push(entry)
    byteCount += entry.length + ENTRY_OVERHEAD_BYTES
    while (byteCount > bytesMax && firstKept < entryCount() - 1) {
      const index = firstKept - droppedCount
      byteCount -= (entries[index]?.length ?? 0) + ENTRY_OVERHEAD_BYTES
      entries[index] = DROPPED
      firstKept += 1
    }
    if (firstKept - droppedCount > TRIM_COUNT_MIN) {
      entries = entries.slice(firstKept - droppedCount)
      droppedCount = firstKept
    }
  }

  /** Everything that the reader has not seen and has room for, in one piece. */
  function feed(reader: Reader): void {
    if (reader.position < firstKept) {
      readers.delete(reader)
      reader.controller.error(new Error('The reader fell too far behind.'))
      return
    }
    const pieces: Buffer[] = []
    let room = reader.controller.desiredSize ?? 0
    while (room > 0 && reader.position < entryCount()) {
      const entry = entries[reader.position - droppedCount]
      if (entry) pieces.push(entry)
      room -= entry?.length ?? 0
      reader.position += 1
    }
    const only = pieces[0]
    if (only) reader.controller.enqueue(pieces.length === 1 ? only : Buffer.concat(pieces))
    if (!ended || reader.position < entryCount()) return
    readers.delete(reader)
    reader.controller.close()
  }

  function feedAll(): void {
    for (const reader of readers) feed(reader)
  }

  return {
    write(bytes) {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      if (input.numbered) for (const event of numberEvents(buffer, entryCount() + 1)) append(event)
      else append(buffer)
      feedAll()
      return true
    },
    end() {
      ended = true
      feedAll()
    },
    wantsMore: () => true,
    onReady() {},
    read({ afterEvent, onGone }) {
      if (afterEvent < firstKept || afterEvent > entryCount()) return null
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
    events: () => (ended && firstKept === 0 ? entries : null),
  }
}
