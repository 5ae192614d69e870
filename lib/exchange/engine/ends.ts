import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import type { ApiErrorCode } from '@/lib/http/domain/error-codes'
import type { UsageDetail } from '@/lib/ledger/domain/usage'
import { formatUsd, type Nano } from '@/lib/money/nano'
import { UpstreamFailure } from '@/lib/upstream/ask-upstreams'
import type { CostFacts } from '../domain/decide-charge'

/** Why this side ends an exchange. */
export type StopCause = 'stopped' | 'disconnected' | 'shutdown' | 'too_long' | 'hold_lost'

/** The reason that an exchange is aborted with. */
export class ExchangeStopped extends Error {
  override readonly name = 'ExchangeStopped'
  constructor(readonly stopCause: StopCause) {
    super(`The exchange was ended: ${stopCause}.`)
  }
}

/** How an exchange ended, for the usage list and for its readers. */
export interface ExchangeEnd {
  status: UsageDetail['status']
  /** Null if the answer is complete, or its reader wanted no more of it. */
  error: ApiError | null
}

export const COMPLETED: ExchangeEnd = { status: 'completed', error: null }

function endOfStop(cause: StopCause): ExchangeEnd {
  switch (cause) {
    case 'stopped':
    case 'disconnected':
      return { status: cause, error: null }
    case 'shutdown':
      return failed(
        'internal_error',
        'The server restarted while the model was answering. You pay only for what was delivered.',
      )
    case 'too_long':
      return failed('upstream_timeout', 'The answer took longer than the maximum duration, and was stopped.')
    case 'hold_lost':
      return failed(
        'ledger_unavailable',
        'The credit held for this answer was released before the answer ended, so it was stopped.',
      )
  }
}

export function failed(code: ApiError['code'], message: string): ExchangeEnd {
  return { status: 'failed', error: new ApiError(code, message) }
}

/** How an aborted exchange ended. */
export function endOfAbort(signal: AbortSignal): ExchangeEnd {
  return endOfStop(signal.reason instanceof ExchangeStopped ? signal.reason.stopCause : 'stopped')
}

/** How an exchange ended that no upstream began to answer: stopped by this side, or failed. */
export function endOfRefusal(cause: unknown, signal: AbortSignal): ExchangeEnd {
  return signal.aborted ? endOfAbort(signal) : { status: 'failed', error: apiErrorOf(cause) }
}

/** The end as the rule of what a call costs sees it. */
export function costEndOf({ status }: ExchangeEnd): CostFacts['end'] {
  if (status === 'completed') return 'completed'
  return status === 'stopped' || status === 'disconnected' ? 'left' : 'failed'
}

/**
 * How much an upstream that may bill has written unseen. `all`: this side gave up, or a proxy did, so that it may have
 * gone on to the end.
 */
export type UnseenPart = 'nothing' | 'some' | 'all'

export function unseenPart(cause: unknown, { error }: ExchangeEnd): UnseenPart {
  if (cause instanceof UpstreamFailure && cause.detail.billsPrompt) return 'nothing'
  if (cause instanceof UpstreamFailure && cause.mayBillAll) return 'all'
  return error !== null && GIVEN_UP_CODES.has(error.code) ? 'all' : 'some'
}

const GIVEN_UP_CODES: ReadonlySet<ApiErrorCode> = new Set([
  'upstream_timeout',
  'internal_error',
  'ledger_unavailable',
])

/** Ends the replay of an answer that was cut when its first reader left. */
export function abandonedByReader(): ApiError {
  const message =
    'The first client disconnected before this answer ended. This is all that had been written by then, and all that was charged. Use a new Idempotency-Key to get a complete answer.'
  return new ApiError('conflict', message)
}

/** Something of the account is in the way just now: the same request may succeed in a moment. */
export function conflictForNow(message: string, headers: Record<string, string> = {}): ApiError {
  return new ApiError('conflict', message, { headers: { 'retry-after': '1', ...headers } })
}

/** For requests that arrive while the process is shutting down; another process will answer a retry. */
export function restarting(): ApiError {
  return new ApiError('internal_error', 'The server is restarting. Try again in a moment.', {
    status: 503,
    headers: { 'retry-after': '1' },
  })
}

/** Clients that retry by themselves are told not to: the upstream may bill each attempt. */
const NOT_AGAIN = { 'x-should-retry': 'false' }

/** The error that the caller gets if the answer could not be written after it was paid for. */
export function failedAfterCharge(failure: unknown, chargedNano: Nano): ApiError {
  const told =
    failure instanceof ApiError
      ? failure
      : new ApiError('internal_error', 'Something went wrong on our side after the model had answered.')
  const charged = chargedNano > 0n ? `${formatUsd(chargedNano)} USD were charged.` : 'Nothing was charged.'
  const headers = { ...told.headers, ...NOT_AGAIN }
  return new ApiError(told.code, `${told.message} ${charged}`, {
    status: told.status,
    headers,
    cause: failure,
  })
}

const NOT_AVAILABLE = 'The model is not available at the moment. Nothing was charged.'

/** The error that the caller gets if no upstream answered. A fault of the request keeps its status and message. */
function apiErrorOf(failure: unknown): ApiError {
  if (failure instanceof ApiError) return failure
  if (!(failure instanceof UpstreamFailure)) {
    const message = 'Something went wrong on our side. Nothing was charged for this request.'
    return new ApiError('internal_error', message, { cause: failure })
  }
  const { status, param, isTooLong, retryAfterSeconds } = failure.detail
  const headers = {
    ...(failure.mayBill && NOT_AGAIN),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  }
  switch (failure.kind) {
    case 'client_fault':
      return new ApiError(isTooLong ? 'context_length_exceeded' : 'invalid_request', failure.message, {
        status,
        param: param ?? undefined,
      })
    case 'timeout':
      return new ApiError('upstream_timeout', 'The model did not answer in time. Nothing was charged.', {
        headers,
      })
    case 'refused':
      return new ApiError('upstream_error', NOT_AVAILABLE, { headers })
  }
}
