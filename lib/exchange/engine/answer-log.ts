import 'server-only'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { BodyWriter, PushedBody } from '@/lib/http/direct-response'
import { numberEvents } from '@/lib/upstream/event-stream'
import { TRANSCRIPT_BYTES_MAX } from '../domain/exchange-limits'
import type { Sink } from './direct-sink'

export interface AnswerLog extends Sink {
  /**
   * The answer after event `afterEvent`, both what is there and what will come; null if that part is no longer
   * kept. `onGone` is called when the reader leaves before the end.
   */
  read(input: { afterEvent: number; onGone: () => void }): PushedBody | null
  /** Every event so far; null if the first ones were dropped, or the answer broke off. */
  events(): readonly Buffer[] | null
}

interface Reader {
  writer: BodyWriter
  position: number
  isFull: boolean
}

/** For all logs of a process together: enough for a hundred long answers, or some dozens with pictures. */
const ALL_LOGS_BYTES_MAX = 128 * 1024 * 1024

interface PackedLog {
  /** The memory that it takes. */
  keptBytes(): number
  dropOldest(): void
}

/** The logs of a process. When they exceed their common bound, the largest drops its oldest events. */
export interface AnswerLogs {
  join(log: PackedLog): void
  leave(log: PackedLog): void
  makeRoom(): void
}

export function createAnswerLogs(bytesMax = ALL_LOGS_BYTES_MAX): AnswerLogs {
  const logs = new Set<PackedLog>()
  return {
    join: log => logs.add(log),
    leave: log => logs.delete(log),
    makeRoom() {
      for (;;) {
        let all = 0
        let largest: PackedLog | null = null
        for (const log of logs) {
          all += log.keptBytes()
          if (!largest || log.keptBytes() > largest.keptBytes()) largest = log
        }
        if (!largest || all <= bytesMax) return
        largest.dropOldest()
      }
    },
  }
}

/**
 * Keeps an answer for readers that come, leave and come back, each at its own pace. Past events are compressed.
 * Beyond the bounds the oldest are dropped, and a reader that still waits for those is cut off.
 */
export function createAnswerLog(input: {
  /**
   * Whether the events are numbered, so that a reader can continue after any of them; else bytes are kept as they
   * come, and each reader gets all of them.
   */
  numbered: boolean
  /** The other logs of this process. */
  logs?: AnswerLogs
  bytesMax?: number
}): AnswerLog {
  const { logs = createAnswerLogs(), bytesMax = TRANSCRIPT_BYTES_MAX } = input
  const readers = new Set<Reader>()
  const blocks: EventBlock[] = []
  let blockBytes = 0
  let keptBytes = 0
  let recent: Buffer[] = []
  let recentBytes = 0
  let recentIndex = 0
  let ended = false
  let failure: Error | null = null

  const eventCount = () => recentIndex + recent.length
  const firstKept = () => blocks[0]?.firstIndex ?? recentIndex

  function append(event: Buffer): void {
    recent.push(event)
    recentBytes += event.length
  }

  /** Called after the readers were fed, so that nothing is decompressed for those who keep up. */
  function pack(): void {
    if (recentBytes < BLOCK_BYTES) return
    const block = packBlock(recentIndex, recent, recentBytes)
    blocks.push(block)
    blockBytes += recentBytes
    keptBytes += block.keptBytes
    recentIndex += recent.length
    recent = []
    recentBytes = 0
    while (blockBytes > bytesMax) packed.dropOldest()
    logs.makeRoom()
  }

  const packed: PackedLog = {
    keptBytes: () => keptBytes,
    dropOldest() {
      const oldest = blocks.shift()
      blockBytes -= oldest?.byteCount ?? blockBytes
      keptBytes -= oldest?.keptBytes ?? keptBytes
    },
  }

  /** Once it has ended and its readers have left, its memory is no longer counted. */
  function leaveIfOver(): void {
    if (ended && readers.size === 0) logs.leave(packed)
  }

  /** The events from a position to the end of its block. */
  function eventsFrom(position: number): readonly Buffer[] {
    if (position >= recentIndex)
      return position === recentIndex ? recent : recent.slice(position - recentIndex)
    const block = blocks.findLast(({ firstIndex }) => firstIndex <= position)
    return block?.events().slice(position - block.firstIndex) ?? []
  }

  /** Writes what the reader has not seen, until it is full. */
  function feed(reader: Reader): void {
    if (reader.position < firstKept()) {
      readers.delete(reader)
      reader.writer.fail(new Error('The client reads too slowly and has fallen too far behind.'))
      return
    }
    while (reader.position < eventCount() && !reader.isFull) {
      const events = eventsFrom(reader.position)
      reader.position += events.length
      const [only] = events
      if (only) reader.isFull = !reader.writer.write(events.length === 1 ? only : Buffer.concat(events))
    }
    if (!ended || reader.position < eventCount()) return
    readers.delete(reader)
    if (failure) reader.writer.fail(failure)
    else reader.writer.end()
  }

  function feedAll(): void {
    for (const reader of readers) feed(reader)
    leaveIfOver()
  }

  logs.join(packed)

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
    fail(error) {
      ended = true
      failure = error
      feedAll()
    },
    wantsMore: () => true,
    onReady() {},
    read({ afterEvent, onGone }) {
      const start = input.numbered ? afterEvent : 0
      if (start < firstKept() || start > eventCount()) return null
      return {
        writeTo(writer) {
          const reader = { writer, position: start, isFull: false }
          readers.add(reader)
          logs.join(packed)
          feed(reader)
          leaveIfOver()
          return {
            ready() {
              reader.isFull = false
              if (readers.has(reader)) feed(reader)
              leaveIfOver()
            },
            gone() {
              if (readers.delete(reader)) onGone()
              leaveIfOver()
            },
          }
        },
      }
    },
    events() {
      if (failure || firstKept() > 0) return null
      return [...blocks.flatMap(block => block.events()), ...recent]
    },
  }
}

/** Enough repetition to compress a stream's events some twentyfold, in less than a millisecond. */
export const BLOCK_BYTES = 64 * 1024
/** A larger block has an image in it, which does not compress, and would hold up every other stream. */
const PACKED_BYTES_MAX = 2 * BLOCK_BYTES
/** zlib's fastest level; its best would halve the size again at five times the work. */
const COMPRESSION_LEVEL = 1

/** Consecutive past events: compressed, and decompressed for a reader who comes late. */
interface EventBlock {
  readonly firstIndex: number
  /** Of the events themselves, before compression. */
  readonly byteCount: number
  /** The memory that it takes. */
  readonly keptBytes: number
  events(): readonly Buffer[]
}

function packBlock(firstIndex: number, events: readonly Buffer[], byteCount: number): EventBlock {
  const head = { firstIndex, byteCount }
  if (byteCount > PACKED_BYTES_MAX) return { ...head, keptBytes: byteCount, events: () => events }
  const lengths = Uint32Array.from(events, event => event.length)
  const packed = deflateRawSync(Buffer.concat(events), { level: COMPRESSION_LEVEL })
  const keptBytes = packed.byteLength + lengths.byteLength
  return { ...head, keptBytes, events: () => unpack(packed, lengths) }
}

function unpack(packed: Buffer, lengths: Uint32Array): Buffer[] {
  const bytes = inflateRawSync(packed)
  let start = 0
  return Array.from(lengths, length => {
    start += length
    return bytes.subarray(start - length, start)
  })
}
