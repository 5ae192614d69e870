import 'server-only'
import { apiErrorOf } from './api-error-of'
import { type ExchangeEnd, ExchangeStopped, endOfStop } from './exchange-stopped'

/** How a call ended that no upstream began to answer: by our own stop, or by its failure. */
export function endOfRefusal(cause: unknown, signal: AbortSignal): ExchangeEnd {
  if (signal.aborted && signal.reason instanceof ExchangeStopped) return endOfStop(signal.reason.stopCause)
  return { status: 'failed', error: apiErrorOf(cause) }
}
