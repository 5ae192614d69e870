import { tryParseJson } from '@/lib/http/domain/try-parse-json'
import { type AnswerError, REST_LOST } from './answer'
import type { ExchangeWorld } from './page-world'
import { readAnswerError } from './read-answer'
import { nameOfResumeKey } from './resume-keys'

/** Identifies an exchange to the server, and proves that this browser may read the rest of it. */
export interface ExchangeKeys {
  /** Bearer secret: header only, never in an address. */
  readonly creditId: string
  readonly idempotencyKey: string
  /** 32 random bytes in base64url, which seal what the server keeps for a resume. */
  readonly resumeKey: string
  /** The maximum that the user was shown, in decimal dollars; null if none was. */
  readonly mostUsd: string | null
}

/** Why a request got no answer. */
export type Attempt =
  | { readonly end: 'over'; readonly error: AnswerError | null }
  /** The connection broke, or a proxy answered in the server's place. */
  | { readonly end: 'lost' }
  /** The answer is still being written elsewhere. */
  | { readonly end: 'busy'; readonly pauseMs: number }
  /** The server knows of no such exchange. */
  | { readonly end: 'unknown' }

export const LOST: Attempt = { end: 'lost' }

const RETRY_PAUSE_MS = 500
const RETRY_PAUSE_MS_MAX = 15_000

export function retryPauseMs(retryCount: number): number {
  return Math.min(RETRY_PAUSE_MS * 2 ** retryCount, RETRY_PAUSE_MS_MAX)
}

/** The three requests of an exchange, for every kind at its own path. */
export class ExchangeRequests {
  readonly #fetch: ExchangeWorld['fetch']
  readonly #path: string
  readonly #keys: ExchangeKeys

  constructor(fetch: ExchangeWorld['fetch'], path: string, keys: ExchangeKeys) {
    this.#fetch = fetch
    this.#path = path
    this.#keys = keys
  }

  post(body: string, signal: AbortSignal): Promise<Response> {
    const headers = {
      ...this.#credentials(),
      'content-type': 'application/json',
      'idempotency-key': this.#keys.idempotencyKey,
      ...(this.#keys.mostUsd !== null && { 'x-max-charge-usd': this.#keys.mostUsd }),
    }
    return this.#fetch(this.#path, { method: 'POST', headers, body, signal })
  }

  /** The answer after event `lastEventId`; -1 for all of it. */
  async resume(exchangeId: string | null, lastEventId: number, signal: AbortSignal): Promise<Response> {
    const position: Record<string, string> = lastEventId < 0 ? {} : { 'last-event-id': String(lastEventId) }
    const headers = { ...this.#credentials(), ...position }
    return this.#fetch(await this.#addressOf(exchangeId), { headers, signal })
  }

  async stop(exchangeId: string | null, signal?: AbortSignal): Promise<Response> {
    // keepalive: a stop pressed just before leaving the page still reaches the server.
    const init = { method: 'DELETE', headers: this.#credentials(), keepalive: true, signal }
    return this.#fetch(await this.#addressOf(exchangeId), init)
  }

  /** By its id, or by its resume name while the id is not known here. */
  async #addressOf(exchangeId: string | null): Promise<string> {
    const name = exchangeId ?? (await nameOfResumeKey(this.#keys.resumeKey))
    return `${this.#path}/${encodeURIComponent(name)}`
  }

  #credentials(): Record<string, string> {
    return { authorization: `Bearer ${this.#keys.creditId}`, 'x-resume-key': this.#keys.resumeKey }
  }
}

/** An error of the server is final, unless it says when to retry. */
export async function readPostRefusal(response: Response): Promise<Attempt> {
  const { status } = response
  const pauseMs = readRetryAfterMs(response)
  if (status === 409 && pauseMs !== null) return { end: 'busy', pauseMs }
  const error = readAnswerError(await readReplyJson(response))
  if (!error && isWithoutServer(status)) return LOST
  if (status === 503 && pauseMs !== null) return LOST
  // It was answered before, and the answer is no longer kept. That is no refusal: it has cost something.
  if (status === 409) return { end: 'over', error: REST_LOST }
  // A proxy may take less than the server does, and tells so in a page of its own.
  const code = status === 413 ? 'request_too_large' : 'internal_error'
  return { end: 'over', error: error ?? { code, message: '' } }
}

export async function readResumeRefusal(response: Response): Promise<Attempt> {
  const { status } = response
  const pauseMs = readRetryAfterMs(response)
  if (status === 409 && pauseMs !== null) return { end: 'busy', pauseMs }
  const error = readAnswerError(await readReplyJson(response))
  // Whatever a proxy says in the server's place, the answer is still there.
  if (!error) return LOST
  if (status === 404) return { end: 'unknown' }
  // The kept answer is a failure of the upstream.
  if (status === 502 || status === 504) return { end: 'over', error }
  if (status >= 500 || status === 429) return LOST
  return { end: 'over', error: { ...REST_LOST, message: error.message } }
}

/** What proxies answer by themselves while the server behind them restarts; some know no host by then, and say 404. */
function isWithoutServer(status: number): boolean {
  return status >= 500 || status === 404
}

function readRetryAfterMs(response: Response): number | null {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return seconds >= 0 ? Math.min(Math.max(seconds * 1000, RETRY_PAUSE_MS), RETRY_PAUSE_MS_MAX) : null
}

/** Undefined if it is not JSON, as a proxy's page. @throws if the connection breaks */
export async function readReplyJson(response: Response): Promise<unknown> {
  return tryParseJson(await response.text())
}
