import { ApiCallError, fieldOf } from '@/lib/http/client/call-api'
import { watchedFetch } from '@/lib/http/client/watched-fetch'

/** Who pays, and under which key: the same for every attempt at the same thing, so that a repeat is not charged again. */
export interface Payment {
  /** Bearer secret: header only, never in an address. */
  readonly creditId: string
  readonly idempotencyKey: string
}

/** A call that buys sound for words, or words for sound. */
interface AudioPurchase extends Payment {
  readonly path: string
  /** What the person was told that it costs at the most, in decimal dollars; null where nothing was said. */
  readonly mostUsd: string | null
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

/** What a credit says that has nothing for what is new to it; what it has paid for, it gives again. */
const NOT_PAID = new Set(['insufficient_credit', 'invalid_credential'])

/**
 * One thing, to be paid once however often it is tried. An attempt of which nobody knows how it ended may have been
 * charged: it is repeated under its own key, by the credit that it was begun with, also where another one has taken
 * that one's place since. What refuses a repetition, such as a limit of requests, has mostly not looked at its key,
 * and says nothing of the attempt before it.
 */
export class Purchase {
  readonly #begin: () => Payment
  #open: Payment | null = null

  /** @param begin a payment by this browser's credit, under a new key. @throws ApiCallError where it has none */
  constructor(begin: () => Payment) {
    this.#begin = begin
  }

  get isOpen(): boolean {
    return this.#open !== null
  }

  /** @throws whatever `ask` throws */
  async make<Bought>(ask: (payment: Payment) => Promise<Bought>): Promise<Bought> {
    const own = this.#begin()
    const open = this.#open
    const payment = open ?? own
    this.#open = payment
    try {
      const bought = await ask(payment)
      this.#open = null
      return bought
    } catch (thrown) {
      if (thrown instanceof UnknownOutcomeError) throw thrown
      const code = thrown instanceof ApiCallError ? thrown.code : ''
      const isUnpaid = open !== null && open.creditId !== own.creditId && NOT_PAID.has(code)
      if (open === null || LAST_WORDS.has(code) || isUnpaid) this.#open = null
      if (isUnpaid) return this.make(ask)
      throw thrown
    }
  }
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

function post({
  path,
  creditId,
  idempotencyKey,
  mostUsd,
  body,
  timeoutMs,
}: AudioPurchase): Promise<Response> {
  return watchedFetch(path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${creditId}`,
      'idempotency-key': idempotencyKey,
      ...(mostUsd !== null && { 'x-max-charge-usd': mostUsd }),
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
