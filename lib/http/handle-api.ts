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
 * Wraps whatever answers requests: what another site made a browser send is refused; typed errors become their
 * status and body, a database or a ledger that does not answer (here, or at the payments host) a 503, a gateway
 * that does not a 502, anything else a 500 that says nothing of its cause to the caller.
 * @param bodyOf the body of an error where it has a form of its own
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
 * OpenAI's and Anthropic's clients heed it. Claude Code asks eleven times with a key that is not known, and says
 * nothing for minutes.
 */
function retryAdvice({ status, headers }: ApiError): Record<string, string> {
  return status < 500 && headers['retry-after'] === undefined ? { 'x-should-retry': 'false' } : {}
}

/** The same for a route handler, whose answer Next writes. */
export function handleApi(handler: Handler): Handler {
  return asRouteHandler(observeApi(handler))
}

export function asRouteHandler(answer: ObservedHandler): Handler {
  return async request => countedResponse(request, await answer(request))
}

/** What a caller may hear of an error; the rest goes to the log. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof LedgerError && error.code === 'too_many_keys') return tooManyKeys(error)
  if (error instanceof GatewayError) {
    const sentence = 'The payment provider does not answer. Try again shortly.'
    return new ApiError('payment_gateway_error', sentence, { cause: error })
  }
  const isAway = error instanceof LedgerError ? error.code === 'unavailable' : isOutage(error)
  if (!isAway) return internalError(error)
  log.error('ledger unavailable', { error })
  return new ApiError(
    'ledger_unavailable',
    'Balances cannot be looked up at the moment. Try again shortly.',
    {
      cause: error,
      headers: { 'retry-after': '2' },
    },
  )
}

function tooManyKeys(cause: LedgerError): ApiError {
  const sentence = `An account may have ${ACTIVE_KEY_COUNT_MAX} API keys at a time, and ${KEY_COUNT_MAX} with those that were revoked. Revoke one, or use one that is there.`
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
