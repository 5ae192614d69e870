import { ApiCallError, readErrorCode } from '@/lib/http/client/call-api'
import { watchedFetch } from '@/lib/http/client/watched-fetch'
import type { CallErrorCode } from '@/lib/http/domain/error-codes'

/** Who pays, and under which key: the same for all attempts at one thing, so that a repetition is not charged again. */
export interface Payment {
  /** Bearer secret: sent in a header, never in an address. */
  readonly creditId: string
  readonly idempotencyKey: string
}

/** A call that buys sound for text, or text for sound. */
interface AudioPurchase extends Payment {
  readonly path: string
  /** The maximum price that the person was shown, in decimal dollars; null if none was. */
  readonly mostUsd: string | null
  /** JSON as text; a form sets its own type. */
  readonly body: string | FormData
  readonly timeoutMs: number
}

export interface AudioReceipt {
  /** The id of the call in the usage list; null if the server does not send it. */
  readonly exchangeId: string | null
  /** Decimal dollars charged; null if the amount was not known before the answer. */
  readonly costUsd: string | null
}

/**
 * The server has not said how the call ended. It may have been charged, so it may only be repeated under its own key.
 */
export class UnknownOutcomeError extends ApiCallError {}

/** Errors that say how a call under the key ended, or that the key can no longer be used. */
const FINAL_CODES: readonly (CallErrorCode | null)[] = ['conflict', 'idempotency_conflict', 'upstream_error']

/** Errors of a credit that cannot pay for a new call; it still returns what it has already paid for. */
const NOT_PAID: readonly (CallErrorCode | null)[] = ['insufficient_credit', 'invalid_credential']

/**
 * One thing, to be paid once however often it is attempted. If the outcome of an attempt is unknown, it may have been
 * charged: it is repeated under its own key and by the credit that it was started with, even if another has replaced
 * that one. A refusal of the repetition, such as a rate limit, usually came before the key was checked, and says
 * nothing about the earlier attempt.
 */
export class Purchase {
  readonly #begin: () => Payment
  #open: Payment | null = null

  /**
   * @param begin creates a payment by this browser's credit, under a new key. @throws ApiCallError if there is no
   * credit
   */
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
      const code = thrown instanceof ApiCallError ? thrown.code : null
      const isUnpaid = open !== null && open.creditId !== own.creditId && NOT_PAID.includes(code)
      if (open === null || FINAL_CODES.includes(code) || isUnpaid) this.#open = null
      if (isUnpaid) return this.make(ask)
      throw thrown
    }
  }
}

/**
 * Buys something, which `read` takes from the response. @throws ApiCallError if it is refused; UnknownOutcomeError if
 * the outcome is unknown
 */
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

/** The server's own error is final; that of a proxy, or of a call that is still running, is not. */
async function refusalOf(response: Response): Promise<ApiCallError> {
  const code = readErrorCode(await response.json().catch(() => null))
  if (code === null) return new UnknownOutcomeError('unknown')
  const stillRuns = response.status === 409 && response.headers.has('retry-after')
  return stillRuns ? new UnknownOutcomeError(code) : new ApiCallError(code)
}
