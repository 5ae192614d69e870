import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import type { UsageDetail } from '../../domain/ledger'

/** Why an exchange is ended from our side. */
export type StopCause = 'stopped' | 'disconnected' | 'shutdown' | 'too_long' | 'hold_lost'

/** What an exchange is aborted with. */
export class ExchangeStopped extends Error {
  override readonly name = 'ExchangeStopped'
  constructor(readonly stopCause: StopCause) {
    super(`The exchange was ended: ${stopCause}.`)
  }
}

/** How an exchange ended, for the usage list and for whoever still reads. */
export interface ExchangeEnd {
  status: UsageDetail['status']
  /** Null: the answer is whole, or its reader wanted no more of it. */
  error: ApiError | null
}

export const COMPLETED: ExchangeEnd = { status: 'completed', error: null }

export function endOfStop(cause: StopCause): ExchangeEnd {
  switch (cause) {
    case 'stopped':
    case 'disconnected':
      return { status: cause, error: null }
    case 'shutdown':
      return failed('internal_error', 'The server restarted while the model was answering.')
    case 'too_long':
      return failed('upstream_timeout', 'The model took longer to answer than any answer may.')
    case 'hold_lost':
      return failed('ledger_unavailable', 'The credit held for this answer was given back before it ended.')
  }
}

/** The end that an aborted call comes to; without a cause of ours, somebody wanted no more of it. */
export function endOfAbort(signal: AbortSignal): ExchangeEnd {
  return endOfStop(signal.reason instanceof ExchangeStopped ? signal.reason.stopCause : 'stopped')
}

export function failed(code: ApiError['code'], message: string): ExchangeEnd {
  return { status: 'failed', error: new ApiError(code, message) }
}
