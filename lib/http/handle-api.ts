import 'server-only'
import { isOutage } from '@/lib/db/retry-lost-connection'
import { ACTIVE_KEY_COUNT_MAX, KEY_COUNT_MAX } from '@/lib/ledger/domain/keys'
import { LedgerError } from '@/lib/ledger/domain/ledger-error'
import { log } from '@/lib/observability/log'
import { GatewayError } from '@/lib/payments/domain/gateway'
import { ApiError } from './api-error'
import { refuseCrossSite } from './cross-site'
import { countedResponse, type ObservedAnswer, observeRequest } from './observe-request'
import { announceServerError } from './server-errors'

type Handler = (request: Request) => Promise<Response>
export type ObservedHandler = (request: Request) => Promise<ObservedAnswer>

/**
 * Wraps a handler of API requests. Cross-site requests are refused. A typed error becomes its status and body; a
 * database or ledger that does not answer (here, or at the payments host) a 503; a gateway that does not answer a 502;
 * anything else a 500 that reveals nothing of its cause.
 * @param bodyOf writes the body of an error, for dialects with a form of their own
 */
export function observeApi(
  handler: Handler,
  bodyOf: (error: ApiError, request: Request) => unknown = error => error.toBody(),
): ObservedHandler {
  return request =>
    observeRequest(request, async () => {
      try {
        refuseCrossSite(request)
        return await handler(request)
      } catch (error) {
        const apiError = toApiError(error)
        const response = Response.json(bodyOf(apiError, request), {
          status: apiError.status,
          headers: { 'cache-control': 'no-store', ...apiError.headers, ...retryAdvice(apiError) },
        })
        if (response.status >= 500) announceServerError({ error, status: response.status, request })
        return response
      }
    })
}

/**
 * Tells clients not to retry what stays wrong; OpenAI's and Anthropic's obey. Without it, Claude Code tries an unknown
 * key eleven times, and shows nothing for minutes.
 */
function retryAdvice({ status, headers }: ApiError): Record<string, string> {
  return status < 500 && headers['retry-after'] === undefined ? { 'x-should-retry': 'false' } : {}
}

/** The same for a route handler of Next, which writes the answer itself. */
export function handleApi(handler: Handler): Handler {
  return asRouteHandler(observeApi(handler))
}

export function asRouteHandler(answer: ObservedHandler): Handler {
  return async request => countedResponse(request, await answer(request))
}

/** The part of an error that a caller may see; the rest goes to the log. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) {
    // Whoever threw it had a sentence of its own for the caller, but the operator has not been told.
    if (isOwnFault(error)) log.error('internal error', { error: error.cause })
    return error
  }
  if (error instanceof LedgerError && error.code === 'too_many_keys') return tooManyKeys(error)
  if (error instanceof GatewayError) {
    log.error('payment gateway failed', { error })
    const sentence = 'The payment provider did not answer. Try again shortly.'
    return new ApiError('payment_gateway_error', sentence, { cause: error })
  }
  return isLedgerOutage(error) ? ledgerUnavailable(error) : internalError(error)
}

/** Whether the ledger, or the database beside it, could not be asked. */
export function isLedgerOutage(error: unknown): boolean {
  return error instanceof LedgerError ? error.code === 'unavailable' : isOutage(error)
}

/** Tells the operator of a fault of ours whose words are in an answer that has begun, so that no handler throws it. */
export function noteLateError(error: ApiError): void {
  toApiError(error)
  if (isOwnFault(error)) announceServerError({ error, status: error.status, request: null })
}

function isOwnFault({ code, cause }: ApiError): boolean {
  return code === 'internal_error' && Boolean(cause)
}

export function ledgerUnavailable(cause: unknown): ApiError {
  log.error('ledger unavailable', { error: cause })
  const sentence = 'Balances cannot be looked up at the moment. Try again shortly.'
  return new ApiError('ledger_unavailable', sentence, { cause, headers: { 'retry-after': '2' } })
}

function tooManyKeys(cause: LedgerError): ApiError {
  const sentence = `An account may have ${ACTIVE_KEY_COUNT_MAX} active API keys, and ${KEY_COUNT_MAX} including revoked ones. Revoke a key, or use an existing one.`
  return new ApiError('too_many_keys', sentence, { cause })
}

function internalError(cause: unknown): ApiError {
  log.error('internal error', { error: cause })
  return new ApiError(
    'internal_error',
    'Something went wrong on our side. Nothing was charged for this request.',
    { cause },
  )
}
