import 'server-only'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { z } from 'zod'
import type { ApiError } from '@/lib/http/api-error'
import { log } from '@/lib/observability/log'
import { ANSWER_BYTES_MAX } from '../domain/exchange-limits'
import { type AnswerMemory, PIECE_BYTES } from './answer-memory'
import { conflictForNow } from './ends'
import type { AnswerSource } from './owners'
import type { ReplayStore } from './replay-store'
import { type SealSecret, sealReplay, unsealReplay } from './seal-replay'
import { whileCounted } from './while-counted'

/** The secrets that open a kept answer; they live in memory while the exchange runs. */
export interface ReplayKeys {
  /** Made by the browser; null if a client that vanishes stops its exchange. */
  resumeKey: string | null
  /** What the browser calls the exchange before it knows its id; see `resumeNameOf`. */
  resumeName: string | null
  idempotencyKey: string | null
}

/** Kept of a request beside its answer, to recognise a repetition. The hash is SHA-256 in hex. */
const bodyMark = z.object({ byteCount: z.int(), hash: z.string() })

const replayHead = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  /** Entry n is event n + 1 of a stream, and a reader can continue behind any of them. */
  numbered: z.boolean(),
  /** Of a request with an idempotency key; absent in answers that an earlier version kept. */
  bodyMark: bodyMark.optional(),
})

export type BodyMark = z.output<typeof bodyMark>
/** The head of a kept answer. */
export type ReplayHead = z.output<typeof replayHead>

export interface KeptReplay {
  exchangeId: string
  accountId: string
  head: ReplayHead
  /** The body without its first entries; null if there are fewer of them. */
  bodyAfter: (entryCount: number) => Buffer | null
}

/**
 * Stores an answer, sealed. If that fails it is only logged, since the answer has been delivered.
 * @returns false if it may be tried again
 */
export async function keepReplay(
  replayStore: ReplayStore,
  input: {
    exchangeId: string
    accountId: string
    replayKeys: ReplayKeys
    head: ReplayHead
    /** Null when the answer was too long to be kept. */
    entries: readonly Buffer[] | null
    ttlSeconds: number
  },
): Promise<boolean> {
  const { exchangeId, accountId, replayKeys, head, entries, ttlSeconds } = input
  const secrets = sealSecrets(replayKeys)
  if (secrets.length === 0 || entries === null) return true
  try {
    await replayStore.put({
      exchangeId,
      accountId,
      resumeName: replayKeys.resumeName,
      sealed: sealReplay(await encodeReplay(head, entries), { exchangeId, secrets }),
      ttlSeconds,
    })
    return true
  } catch (error) {
    log.warn('an answer could not be stored for replay', { exchangeId, error })
    return false
  }
}

/**
 * A kept answer, opened; null if there is none for this account, or the secret does not fit.
 * @throws ApiError conflict with Retry-After if too many are being opened
 */
export async function loadReplay(
  { replayStore, replayLimiter }: { replayStore: Pick<ReplayStore, 'find'>; replayLimiter: ReplayLimiter },
  input: { name: string; accountId: string; secret: SealSecret },
): Promise<KeptReplay | null> {
  const { accountId, secret } = input
  return replayLimiter.run(accountId, async () => {
    const stored = await replayStore.find(input.name)
    if (!stored || stored.accountId !== accountId) return null
    const { exchangeId } = stored
    const plain = unsealReplay(stored.sealed, { exchangeId, secret })
    return plain && { exchangeId, accountId, ...(await decodeReplay(plain)) }
  })
}

/** A kept answer for one more reader; only a numbered one can be continued behind an event. */
export function keptAnswer(
  { replayMemory }: { replayMemory: AnswerMemory },
  { accountId, head, bodyAfter }: KeptReplay,
): AnswerSource {
  const read: AnswerSource['read'] = ({ afterEvent }) => {
    const body = bodyAfter(head.numbered ? afterEvent : 0)
    if (body === null || body.length <= PIECE_BYTES) return body && new Uint8Array(body)
    if (!replayMemory.makeRoom(accountId, body.buffer.byteLength)) throw tooManyReaders()
    return replayMemory.readInPieces(accountId, body, true)
  }
  return { status: head.status, headers: head.headers, read }
}

/** Opening one takes several times its size in memory. */
const OPENING_COUNT_MAX = 3
const OPENING_PER_ACCOUNT_COUNT_MAX = 8

/** Limits how many answers are opened at the same time. */
export interface ReplayLimiter {
  /** Waits for a free place. @throws ApiError conflict with Retry-After if its account already has too many waiting */
  run<Opened>(accountId: string, open: () => Promise<Opened>): Promise<Opened>
}

export function createReplayLimiter(): ReplayLimiter {
  const openingCounts = new Map<string, number>()
  const waiting: (() => void)[] = []
  let freeCount = OPENING_COUNT_MAX

  return {
    run: (accountId, open) =>
      whileCounted(openingCounts, accountId, async openingCount => {
        if (openingCount >= OPENING_PER_ACCOUNT_COUNT_MAX) throw tooManyReaders()
        if (freeCount === 0) await new Promise<void>(resolve => waiting.push(resolve))
        else freeCount -= 1
        try {
          return await open()
        } finally {
          const next = waiting.shift()
          if (next) next()
          else freeCount += 1
        }
      }),
  }
}

function tooManyReaders(): ApiError {
  return conflictForNow('Too many stored answers are being read at the moment. Try again shortly.')
}

function sealSecrets({ resumeKey, idempotencyKey }: ReplayKeys): SealSecret[] {
  return [
    ...(resumeKey === null ? [] : [{ kind: 'resume' as const, secret: resumeKey }]),
    ...(idempotencyKey === null ? [] : [{ kind: 'idempotency' as const, secret: idempotencyKey }]),
  ]
}

const LENGTH_BYTES = 4
/** The largest answer there is, and its head. */
const DECODED_BYTES_MAX = 2 * ANSWER_BYTES_MAX
const encodedHead = replayHead.extend({ lengths: z.array(z.int()) })

/** Off the main thread, which relays everybody else's answers. */
const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** Layout, compressed: length of the head, the head as JSON with the length of each entry, the entries. */
export async function encodeReplay(head: ReplayHead, entries: readonly Buffer[]): Promise<Buffer> {
  const json = Buffer.from(JSON.stringify({ ...head, lengths: entries.map(entry => entry.length) }))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(json.length)
  return deflate(Buffer.concat([length, json, ...entries]), { level: 1 })
}

export async function decodeReplay(encoded: Buffer): Promise<Pick<KeptReplay, 'head' | 'bodyAfter'>> {
  const bytes = await inflate(encoded, { maxOutputLength: DECODED_BYTES_MAX })
  const bodyStart = LENGTH_BYTES + bytes.readUInt32BE(0)
  const { lengths, ...head } = encodedHead.parse(JSON.parse(bytes.toString('utf8', LENGTH_BYTES, bodyStart)))
  return {
    head,
    bodyAfter(entryCount) {
      if (entryCount > lengths.length) return null
      const skippedBytes = lengths.slice(0, entryCount).reduce((sum, length) => sum + length, 0)
      return bytes.subarray(bodyStart + skippedBytes)
    },
  }
}
