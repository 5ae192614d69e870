import 'server-only'
import { ApiError } from './api-error'

/**
 * Of an upload that is under way this much must come in this time, or it is given up: slower than any line
 * that a page loads over, and an end to those that only keep a place occupied.
 */
const PROGRESS_BYTES_MIN = 8 * 1024
const PROGRESS_WINDOW_MS = 10_000
/**
 * A chunked body may come in pieces of any size, and each takes time of its own. Beyond this many a piece
 * must be of this size on average: less than a line of a log.
 */
const PIECE_COUNT_FREE = 2_048
const PIECE_BYTES_MEAN_MIN = 64
/** A refused body is read on and forgotten, so that a client that still sends hears the refusal. */
const DISCARDED_BYTES_MAX = 64 * 1024 * 1024
/** A piece that is forgotten counts as this many at the least: each takes time of its own. */
const DISCARDED_PIECE_BYTES_MIN = 1024
/** Pieces below are copied together: many a small one keeps a large buffer of the socket alive. */
const OWN_PIECE_BYTES_MIN = 4 * 1024
const BLOCK_BYTES_MAX = 64 * 1024

export interface Reception {
  /** Told of each piece before it is kept; what it throws refuses the body. */
  onPiece(piece: Uint8Array): void | Promise<void>
  /** Gives the way to refuse the body at any time, also while it is silent. */
  onRefusable?(refuse: (error: Error) => void): void
}

/**
 * Reads a request's body to its end, if it makes progress.
 * @throws ApiError invalid_request, and whatever refused it
 */
export async function receiveBody(request: Request, reception: Reception): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array()
  const reader = request.body.getReader()
  const progress = new Progress()
  const kept = new KeptPieces()
  reception.onRefusable?.(error => progress.refuse(error))
  try {
    for (;;) {
      const { done, value } = await progress.during(reader.read())
      if (done) return kept.join()
      progress.count(value.byteLength)
      const waiting = reception.onPiece(value)
      if (waiting) await progress.pausedDuring(waiting)
      kept.push(value)
    }
  } catch (error) {
    void discardRest(reader)
    throw error
  } finally {
    progress.end()
  }
}

/** Sees to it that the body comes, and in pieces worth their while. */
class Progress {
  #byteCount = 0
  #pieceCount = 0
  #windowByteCount = 0
  #isPaused = false
  #refusal: Error | null = null
  #reject: (error: Error) => void = () => {}
  readonly #timer = setInterval(() => this.#look(), PROGRESS_WINDOW_MS)

  constructor() {
    this.#timer.unref()
  }

  refuse(error: Error): void {
    this.#refusal ??= error
    this.#reject(this.#refusal)
  }

  during<Result>(reading: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      if (this.#refusal) reject(this.#refusal)
      reading.then(resolve, () => reject(new ApiError('invalid_request', 'The request broke off.')))
    })
  }

  /** While we look something up it is not the sender who keeps us waiting. */
  async pausedDuring(waiting: Promise<void>): Promise<void> {
    this.#isPaused = true
    await waiting
    this.#isPaused = false
    this.#windowByteCount = PROGRESS_BYTES_MIN
  }

  count(byteCount: number): void {
    this.#byteCount += byteCount
    this.#windowByteCount += byteCount
    this.#pieceCount += 1
    if (this.#pieceCount <= PIECE_COUNT_FREE + this.#byteCount / PIECE_BYTES_MEAN_MIN) return
    throw new ApiError('invalid_request', 'The body comes in pieces that are too small.')
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const isStalled = !this.#isPaused && this.#windowByteCount < PROGRESS_BYTES_MIN
    this.#windowByteCount = 0
    if (!isStalled) return
    this.refuse(
      new ApiError('invalid_request', 'The body comes too slowly, or has stopped coming.', {
        status: 408,
        // Nothing is left to read, and whoever is silent keeps no connection.
        headers: { connection: 'close' },
      }),
    )
  }
}

class KeptPieces {
  readonly #pieces: Uint8Array[] = []
  #byteCount = 0
  /** How much of the last piece is free. */
  #freeByteCount = 0

  push(piece: Uint8Array): void {
    const isOwn = piece.byteLength === piece.buffer.byteLength
    if (isOwn && piece.byteLength >= OWN_PIECE_BYTES_MIN) {
      this.#close()
      this.#pieces.push(piece)
      this.#byteCount += piece.byteLength
      return
    }
    for (let at = 0; at < piece.byteLength; ) at += this.#copy(piece.subarray(at))
  }

  join(): Uint8Array {
    this.#close()
    const only = this.#pieces[0]
    if (this.#pieces.length === 1 && only) return only
    return Buffer.concat(this.#pieces)
  }

  #copy(rest: Uint8Array): number {
    if (this.#freeByteCount === 0) {
      // As much again as there is: small bodies take small blocks.
      const size = Math.min(Math.max(this.#byteCount, OWN_PIECE_BYTES_MIN), BLOCK_BYTES_MAX)
      this.#pieces.push(new Uint8Array(size))
      this.#freeByteCount = size
    }
    const block = this.#pieces.at(-1) ?? new Uint8Array()
    const byteCount = Math.min(rest.byteLength, this.#freeByteCount)
    block.set(rest.subarray(0, byteCount), block.byteLength - this.#freeByteCount)
    this.#freeByteCount -= byteCount
    this.#byteCount += byteCount
    return byteCount
  }

  #close(): void {
    const block = this.#pieces.at(-1)
    if (block && this.#freeByteCount > 0) {
      this.#pieces[this.#pieces.length - 1] = block.subarray(0, block.byteLength - this.#freeByteCount)
    }
    this.#freeByteCount = 0
  }
}

async function discardRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    for (let byteCount = 0; byteCount < DISCARDED_BYTES_MAX; ) {
      const { done, value } = await reader.read()
      if (done) return
      byteCount += Math.max(value.byteLength, DISCARDED_PIECE_BYTES_MIN)
    }
    await reader.cancel()
  } catch {
    // Whoever sent it has left.
  }
}
