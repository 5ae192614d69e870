import 'server-only'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { BodyWriter, PushedBody } from '@/lib/http/direct-response'
import { numberEvents } from '@/lib/upstream/event-stream'
import { TRANSCRIPT_BYTES_MAX } from '../domain/exchange-limits'
import type { Sink } from './direct-sink'

export interface AnswerLog extends Sink {
  /**
   * The answer from behind event `afterEvent` on, past and to come; null when that part is no longer
   * kept. `onGone` when the reader leaves before the end.
   */
  read(input: { afterEvent: number; onGone: () => void }): PushedBody | null
  /** Every event so far; null when the first ones had to make way, or it broke off. */
  events(): readonly Buffer[] | null
}

interface Reader {
  writer: BodyWriter
  position: number
  isFull: boolean
}

/** What the logs of a process keep together: that of a hundred long answers, or the pictures of some dozens. */
const ALL_LOGS_BYTES_MAX = 128 * 1024 * 1024

interface PackedLog {
  /** Of memory. */
  keptBytes(): number
  letOldestGo(): void
}

/** The logs of a process. Beyond what they may keep together the largest lets its oldest events go. */
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
        largest.letOldestGo()
      }
    },
  }
}

/**
 * Keeps an answer for readers that come, leave and come back, each at its own pace. What is past is
 * packed; the oldest makes way beyond the bounds, and a reader still waiting for that is cut off.
 */
export function createAnswerLog(input: {
  /** Events that get a number each, by which a reader can continue; else bytes as they come. */
  numbered: boolean
  /** Those that it shares a process with. */
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

  /** After the readers were fed, so that those who keep up never unpack anything. */
  function pack(): void {
    if (recentBytes < BLOCK_BYTES) return
    const block = packBlock(recentIndex, recent, recentBytes)
    blocks.push(block)
    blockBytes += recentBytes
    keptBytes += block.keptBytes
    recentIndex += recent.length
    recent = []
    recentBytes = 0
    while (blockBytes > bytesMax) packed.letOldestGo()
    logs.makeRoom()
  }

  const packed: PackedLog = {
    keptBytes: () => keptBytes,
    letOldestGo() {
      const oldest = blocks.shift()
      blockBytes -= oldest?.byteCount ?? blockBytes
      keptBytes -= oldest?.keptBytes ?? keptBytes
    },
  }

  /** Nobody keeps it for longer once it has ended and its readers have left. */
  function leaveIfOver(): void {
    if (ended && readers.size === 0) logs.leave(packed)
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
      reader.writer.fail(new Error('The reader fell too far behind.'))
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
      if (afterEvent < firstKept() || afterEvent > eventCount()) return null
      return {
        writeTo(writer) {
          const reader = { writer, position: afterEvent, isFull: false }
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

/** Enough repetition to shrink a stream's events some twentyfold, and less than a millisecond of work. */
export const BLOCK_BYTES = 64 * 1024
/** A block beyond this has an image in it, which does not shrink and would hold up every other stream. */
const PACKED_BYTES_MAX = 2 * BLOCK_BYTES
/** The fastest that zlib knows; its best would halve the rest again at five times the work. */
const COMPRESSION_LEVEL = 1

/** Consecutive events that are past: kept small, and taken apart again for a reader who comes late. */
interface EventBlock {
  readonly firstIndex: number
  readonly eventCount: number
  /** Of the events themselves, whatever the block takes up. */
  readonly byteCount: number
  /** What it takes up. */
  readonly keptBytes: number
  events(): readonly Buffer[]
}

function packBlock(firstIndex: number, events: readonly Buffer[], byteCount: number): EventBlock {
  const head = { firstIndex, eventCount: events.length, byteCount }
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
