import { type AnswerError, readAnswerError } from './stream-event'

const COMPLETIONS_PATH = '/v1/chat/completions'

/** What identifies one exchange to the server, and proves that this browser may read the rest of it. */
export interface ExchangeKeys {
  /** Bearer secret: header only, never in an address. */
  readonly creditId: string
  readonly idempotencyKey: string
  /** Base64url of 32 random bytes: seals the transcript that the server keeps for a resume. */
  readonly resumeKey: string
}

export type Fetch = (input: string, init: RequestInit) => Promise<Response>

export function postExchange(fetch: Fetch, keys: ExchangeKeys, body: string, signal: AbortSignal) {
  return fetch(COMPLETIONS_PATH, {
    method: 'POST',
    headers: {
      ...authorize(keys),
      'content-type': 'application/json',
      'idempotency-key': keys.idempotencyKey,
    },
    body,
    signal,
  })
}

/** The rest of an answer, from the event after `lastEventId`; -1 asks for all of it. */
export function resumeExchange(
  fetch: Fetch,
  keys: ExchangeKeys,
  exchangeId: string,
  lastEventId: number,
  signal: AbortSignal,
) {
  const position: Record<string, string> = lastEventId < 0 ? {} : { 'last-event-id': String(lastEventId) }
  return fetch(exchangePath(exchangeId), { headers: { ...authorize(keys), ...position }, signal })
}

export function stopExchange(fetch: Fetch, keys: ExchangeKeys, exchangeId: string) {
  // keepalive: a stop pressed just before leaving the page still reaches the server.
  return fetch(exchangePath(exchangeId), { method: 'DELETE', headers: authorize(keys), keepalive: true })
}

/** The server's own error object; null when the answer came from something in between, such as a proxy. */
export async function readErrorBody(response: Response): Promise<AnswerError | null> {
  try {
    return readAnswerError(await response.json())
  } catch {
    return null
  }
}

function authorize(keys: ExchangeKeys): Record<string, string> {
  return { authorization: `Bearer ${keys.creditId}`, 'x-resume-key': keys.resumeKey }
}

function exchangePath(exchangeId: string): string {
  return `${COMPLETIONS_PATH}/${encodeURIComponent(exchangeId)}`
}
