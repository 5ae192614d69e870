import 'server-only'
import type { IncomingMessage } from 'node:http'
import type { Nano } from '@/lib/money/nano'
import type { UsageDetail } from '../../domain/ledger'
import type { Settlement } from './resolve-exchange'

/** What a call costs, and how that is known. */
export interface CallCharge {
  costNano: Nano
  costBasis: UsageDetail['costBasis']
  /** The counts are ours, because the upstream told none. */
  estimated: boolean
  /** Tokens, or whatever the model is priced by: characters, seconds. 0 when absent. */
  inputTokenCount?: number
  cachedInputTokenCount?: number
  outputTokenCount?: number
}

/** How much of a stream came before it ended. */
export interface Delivered {
  byteCount: number
  /** False when the upstream broke off, or the reader left. */
  whole: boolean
}

/** What an upstream answered, and what that costs. */
export type CallAnswer = WholeAnswer | StreamedAnswer

/** An answer that is complete when it comes: a JSON document. It is settled before it is handed on. */
export interface WholeAnswer {
  kind: 'whole'
  upstreamId: string
  charge: CallCharge
  /** Written when it is known what was charged, so that the body can tell. */
  write: (settlement: Settlement) => {
    contentType: string
    body: Buffer
    headers?: Record<string, string>
  }
}

/** Bytes that are handed on as they come; settled when they have ended. */
export interface StreamedAnswer {
  kind: 'stream'
  upstreamId: string
  /** Paused; its body is what the caller gets. */
  response: IncomingMessage
  contentType: string
  headers?: Record<string, string>
  /** This long a silence is a dead line. */
  betweenBytesTimeoutMs: number
  charge: (delivered: Delivered) => CallCharge
}
