import { ApiCallError, fieldOf } from '@/lib/http/client/call-api'
import { watchedFetch } from '@/lib/http/client/watched-fetch'

/** A call that buys sound for words, or words for sound. */
export interface AudioPurchase {
  readonly path: string
  /** Bearer secret: header only, never in an address. */
  readonly creditId: string
  /** The same for every attempt at the same thing, so that a repeat is not charged again. */
  readonly idempotencyKey: string
  /** JSON as text; a form tells its own type. */
  readonly body: string | FormData
  readonly timeoutMs: number
}

export interface AudioReceipt {
  /** By which the usage list knows the call; null when the server does not say. */
  readonly exchangeId: string | null
  /** Decimal dollars charged; null when it was not known before the answer came. */
  readonly costUsd: string | null
}

/** The server has not said how the call ended: it may have been charged, so only its key may be used again. */
export class UnknownOutcomeError extends ApiCallError {}

/** Errors that tell how a call under the key ended, or that the key is of no more use. */
const LAST_WORDS = new Set(['conflict', 'idempotency_conflict', 'upstream_error'])

/**
 * Whether the next attempt has to go under the same key. What refuses a repetition, such as a limit of requests, has
 * mostly not looked at its key, and says nothing of the attempt before it that may have been charged.
 */
export function keepsKey(thrown: unknown, wasUnknown: boolean): boolean {
  if (thrown instanceof UnknownOutcomeError) return true
  return wasUnknown && !(thrown instanceof ApiCallError && LAST_WORDS.has(thrown.code))
}

/** What was bought, as `read` takes it from the answer. @throws ApiCallError when it is refused; UnknownOutcomeError when nothing is known */
export async function buyAudio<Bought>(
  purchase: AudioPurchase,
  read: (response: Response) => Promise<Bought>,
): Promise<readonly [Bought, AudioReceipt]> {
  const response = await reached(() => post(purchase))
  if (!response.ok) throw await refusalOf(response)
  const bought = await reached(() => read(response))
  const { headers } = response
  return [bought, { exchangeId: headers.get('x-exchange-id'), costUsd: headers.get('x-cost-usd') }]
}

function post({ path, creditId, idempotencyKey, body, timeoutMs }: AudioPurchase): Promise<Response> {
  return watchedFetch(path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${creditId}`,
      'idempotency-key': idempotencyKey,
      ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
    },
    body,
    cache: 'no-store',
    signal: AbortSignal.timeout(timeoutMs),
  })
}

async function reached<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask()
  } catch (cause) {
    throw new UnknownOutcomeError('network', { cause })
  }
}

/** The server's own error is its last word; one of a proxy, or of a call that still runs, is not. */
async function refusalOf(response: Response): Promise<ApiCallError> {
  const code = fieldOf(fieldOf(await response.json().catch(() => null), 'error'), 'code')
  if (typeof code !== 'string') return new UnknownOutcomeError('unknown')
  const stillRuns = response.status === 409 && response.headers.has('retry-after')
  return stillRuns ? new UnknownOutcomeError(code) : new ApiCallError(code)
}
