import 'server-only'
import { ApiError } from './api-error'
import { clientAddress } from './client-address'

const MEGABYTE = 1024 * 1024

/**
 * The memory of a process that request bodies may take at any moment. In all: eight of the largest (32 MB each), which
 * a small server can carry. Per address: three of them, since an office shares one.
 */
const LIMITS = {
  bytesMax: 256 * MEGABYTE,
  perAddressBytesMax: 96 * MEGABYTE,
  /** Reserved for small bodies, so that a question still passes while pictures are refused. */
  reservedBytes: 32 * MEGABYTE,
  smallBodyBytes: 256 * 1024,
}
/** By then a stalled upload has been given up. */
const RETRY_AFTER_SECONDS = 10

/** Counts the bytes of all request bodies in memory; one per process. */
export interface BodiesInFlight {
  /** Begins to count the body of a request with these headers. */
  open(headers: Headers): BodyInFlight
  readonly byteCount: number
}

export interface BodyInFlight {
  /** Counts further bytes. @throws ApiError rate_limited if there is no room for them */
  add(byteCount: number): void
  /** Sets what is called if this body has to make room for another. */
  onRefused(refuse: (error: Error) => void): void
  /** It has been read completely, and no longer makes room for others. */
  settle(): void
  /** It is no longer in memory. A second call does nothing. */
  end(): void
}

interface Body {
  address: string
  byteCount: number
  /** Null once it can no longer be refused. */
  refuse: ((error: Error) => void) | null
}

export function createBodiesInFlight(input: {
  onVercel: boolean
  limits?: Partial<typeof LIMITS>
}): BodiesInFlight {
  const limits = { ...LIMITS, ...input.limits }
  const bodies = new Set<Body>()
  const byteCounts = new Map<string, number>()
  let totalByteCount = 0

  const countOf = (address: string) => byteCounts.get(address) ?? 0

  function change(body: Body, difference: number): void {
    body.byteCount += difference
    totalByteCount += difference
    const byteCount = countOf(body.address) + difference
    if (byteCount === 0) byteCounts.delete(body.address)
    else byteCounts.set(body.address, byteCount)
  }

  function end(body: Body): void {
    if (!bodies.delete(body)) return
    change(body, -body.byteCount)
  }

  /** The largest body of the address that takes the most, if that is more than this one would take. */
  function findHeavier(body: Body, byteCount: number): Body | null {
    let heaviest: Body | null = null
    for (const other of bodies) {
      if (other.refuse === null || other.address === body.address) continue
      const difference = heaviest ? countOf(other.address) - countOf(heaviest.address) : 1
      if (difference > 0 || (difference === 0 && other.byteCount > (heaviest?.byteCount ?? 0)))
        heaviest = other
    }
    return heaviest && countOf(heaviest.address) > countOf(body.address) + byteCount ? heaviest : null
  }

  function makeRoom(body: Body, byteCount: number): boolean {
    const isSmall = body.byteCount + byteCount <= limits.smallBodyBytes
    const bytesMax = limits.bytesMax - (isSmall ? 0 : limits.reservedBytes)
    while (totalByteCount + byteCount > bytesMax) {
      const heavier = findHeavier(body, byteCount)
      if (!heavier) return false
      heavier.refuse?.(noRoom())
      end(heavier)
    }
    return true
  }

  return {
    get byteCount() {
      return totalByteCount
    },

    open(headers) {
      const { address } = clientAddress(headers, input.onVercel)
      const body: Body = { address, byteCount: 0, refuse: null }
      bodies.add(body)
      return {
        add(byteCount) {
          // It had to make room for another, and is being refused; what still arrives of it is not kept.
          if (!bodies.has(body)) throw noRoom()
          if (countOf(address) + byteCount > limits.perAddressBytesMax || !makeRoom(body, byteCount))
            throw noRoom()
          change(body, byteCount)
        },
        onRefused(refuse) {
          body.refuse = refuse
        },
        settle() {
          body.refuse = null
        },
        end: () => end(body),
      }
    },
  }
}

function noRoom(): ApiError {
  return new ApiError(
    'rate_limited',
    'The server is receiving too much data at the moment. Try again shortly.',
    {
      headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
    },
  )
}
