import 'server-only'
import type { PushedBody } from '@/lib/http/direct-response'

/** The memory for all large answers of a process while they are made and read for the first time. */
const MADE_BYTES_MAX = 256 * 1024 * 1024
/** The memory for kept answers that are read again: separate, so that neither waits for the other. */
export const REPLAYED_BYTES_MAX = 128 * 1024 * 1024
/** An account may have one answer of any size, and several that together leave half of the memory to others. */
const ACCOUNTS_AT_ONCE = 2
/** Answers of up to this size are written in one piece, into the buffer of their connection. */
export const PIECE_BYTES = 64 * 1024

export interface AnswerMemory {
  /** Cuts off readers of kept answers, of accounts that take more than this one would, until there is room. */
  makeRoom(accountId: string, byteCount: number): boolean
  /** Waits for its turn and its memory. @returns how to release it. @throws the signal's reason */
  reserve(accountId: string, byteCount: number, signal: AbortSignal): Promise<() => void>
  /**
   * Writes an answer piece by piece, as its reader takes it, and accounts for its memory meanwhile.
   * @param canBeAskedForAgain false for an answer that is read for the first time, whose reader is never cut off
   */
  readInPieces(accountId: string, bytes: Uint8Array, canBeAskedForAgain: boolean): PushedBody
}

interface Reader {
  accountId: string
  byteCount: number
  cutOff(): void
}

/**
 * The memory that large answers share. An answer of tens of megabytes may have cost next to nothing, be replayed any
 * number of times, and be read as slowly as its reader likes.
 */
export function createAnswerMemory(bytesMax = MADE_BYTES_MAX): AnswerMemory {
  const byteCounts = new Map<string, number>()
  const readers = new Set<Reader>()
  const waiting = new Set<() => void>()

  const countOf = (accountId: string) => byteCounts.get(accountId) ?? 0
  const countAll = () => [...byteCounts.values()].reduce((sum, each) => sum + each, 0)

  function makeRoom(accountId: string, byteCount: number): boolean {
    const own = countOf(accountId)
    if (own > 0 && own + byteCount > bytesMax / ACCOUNTS_AT_ONCE) return false
    for (let all = countAll(); all > 0 && all + byteCount > bytesMax; all = countAll()) {
      const heavier = findHeavier(own + byteCount)
      if (!heavier) return false
      heavier.cutOff()
    }
    return true
  }

  /** The largest reader of the account that takes the most, if that is more than this. */
  function findHeavier(byteCount: number): Reader | null {
    let heaviest: Reader | null = null
    for (const reader of readers) {
      const difference = countOf(reader.accountId) - (heaviest ? countOf(heaviest.accountId) : byteCount)
      if (difference > 0 || (difference === 0 && reader.byteCount > (heaviest?.byteCount ?? byteCount)))
        heaviest = reader
    }
    return heaviest
  }

  function change(accountId: string, difference: number): void {
    const byteCount = countOf(accountId) + difference
    if (byteCount === 0) byteCounts.delete(accountId)
    else byteCounts.set(accountId, byteCount)
  }

  /** @returns how to release it; a second call does nothing */
  function take(accountId: string, byteCount: number): () => void {
    let isTaken = true
    change(accountId, byteCount)
    return () => {
      if (!isTaken) return
      isTaken = false
      change(accountId, -byteCount)
      for (const tryAgain of waiting) tryAgain()
    }
  }

  return {
    makeRoom,

    reserve(accountId, byteCount, signal) {
      return new Promise((resolve, reject) => {
        const stopWaiting = () => {
          waiting.delete(tryAgain)
          signal.removeEventListener('abort', giveUp)
        }
        const tryAgain = () => {
          if (!makeRoom(accountId, byteCount)) return
          stopWaiting()
          resolve(take(accountId, byteCount))
        }
        const giveUp = () => {
          stopWaiting()
          reject(signal.reason)
        }
        if (signal.aborted) return giveUp()
        signal.addEventListener('abort', giveUp, { once: true })
        waiting.add(tryAgain)
        tryAgain()
      })
    },

    readInPieces(accountId, bytes, canBeAskedForAgain) {
      return {
        writeTo(writer) {
          let at = 0
          // A part keeps the whole buffer in memory.
          const byteCount = bytes.buffer.byteLength
          const giveBack = take(accountId, byteCount)
          const leave = () => {
            readers.delete(reader)
            giveBack()
          }
          const reader: Reader = {
            accountId,
            byteCount,
            cutOff() {
              at = bytes.length
              leave()
              writer.fail(
                new Error('The client reads too slowly, and its memory is needed for other answers.'),
              )
            },
          }
          const ready = () => {
            if (at >= bytes.length) return
            for (let isWanted = true; isWanted && at < bytes.length; at += PIECE_BYTES)
              isWanted = writer.write(bytes.subarray(at, at + PIECE_BYTES))
            if (at < bytes.length) return
            leave()
            writer.end()
          }
          if (canBeAskedForAgain) readers.add(reader)
          ready()
          return { ready, gone: leave }
        },
      }
    },
  }
}
