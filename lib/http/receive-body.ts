import 'server-only'
import { ApiError } from './api-error'

/**
 * An upload must make this much progress in this time, or it is given up. That is slower than any connection that can
 * load a page, and ends uploads that only occupy memory.
 */
const PROGRESS_BYTES_MIN = 8 * 1024
const PROGRESS_WINDOW_MS = 10_000
/**
 * A chunked body may come in pieces of any size, and each piece takes time. Beyond this many, pieces must have this
 * size on average, which is less than a line of a log.
 */
const PIECE_COUNT_FREE = 2_048
const PIECE_BYTES_MEAN_MIN = 64
/** A refused body is still read and discarded, so that a client that is still sending gets the refusal. */
const DISCARDED_BYTES_MAX = 64 * 1024 * 1024
/** The least that a discarded piece counts as, since each piece takes time. */
const DISCARDED_PIECE_BYTES_MIN = 1024
/** Smaller pieces are copied together, since a small piece can keep a large buffer of the socket alive. */
const OWN_PIECE_BYTES_MIN = 4 * 1024
const BLOCK_BYTES_MAX = 64 * 1024

export interface Reception {
  /** Called with each piece before it is kept; if it throws, the body is refused. */
  onPiece(piece: Uint8Array): void | Promise<void>
  /** Receives a function that refuses the body at any time, even while nothing arrives. */
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
    requireUncompressed(request.headers)
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

/** Few bytes can unfold to any number, and no client that asks this API compresses by default. */
function requireUncompressed(headers: Headers): void {
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding.toLowerCase() === 'identity') return
  const message = `The body is compressed (${encoding}), which is not supported here. Send it uncompressed.`
  throw new ApiError('invalid_request', message)
}

/** Checks that the body arrives fast enough, and in pieces that are large enough. */
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

  /** Time that we spend on looking something up is not the sender's. */
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
    throw new ApiError('invalid_request', 'The body arrives in pieces that are too small.')
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const isStalled = !this.#isPaused && this.#windowByteCount < PROGRESS_BYTES_MIN
    this.#windowByteCount = 0
    if (!isStalled) return
    this.refuse(
      new ApiError('invalid_request', 'The body arrives too slowly, or has stopped arriving.', {
        status: 408,
        // Nothing is left to read, and a stalled client keeps no connection.
        headers: { connection: 'close', 'retry-after': '1' },
      }),
    )
  }
}

class KeptPieces {
  readonly #pieces: Uint8Array[] = []
  #byteCount = 0
  /** How many bytes of the last block are free. */
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
      // Doubles each time, so that small bodies take small blocks.
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
    // The sender has left.
  }
}
