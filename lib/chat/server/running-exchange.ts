import 'server-only'
import type { StopCause } from '@/lib/ledger/server/metering/exchange-stopped'
import type { Settlement } from '@/lib/ledger/server/metering/resolve-exchange'

/** The head of an answer, and its body for as many readers as it allows. */
export interface Answer {
  status: number
  headers: Record<string, string>
  /** From behind event `afterEvent` on; null when that part is no longer, or never was, kept. */
  read(input: {
    afterEvent: number
    onGone: () => void
  }): ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null
}

/** An exchange that this process owns, from its hold to its last byte. */
export interface RunningExchange {
  /** The hold's id. */
  readonly id: string
  readonly accountId: string
  /** Derived from the resume key; null when the exchange cannot be resumed. */
  readonly resumeName: string | null
  /** Settles when an upstream has begun to answer. @throws ApiError when none does */
  readonly answer: Promise<Answer>
  /** Never rejects; null when nothing was charged because the ledger could not be asked. */
  readonly finished: Promise<Settlement>
  /**
   * Somebody waits for this answer. When the last one has left, an exchange that nobody can resume is
   * stopped.
   */
  attend(signal: AbortSignal): Attendance
  stop(cause: StopCause): void
}

export interface Attendance {
  leave(): void
}
