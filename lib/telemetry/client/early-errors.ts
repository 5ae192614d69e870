import { onCallOutcome } from '@/lib/http/client/watched-fetch'
import type { CallOutcome } from '@/lib/http/domain/call-outcome'

/** Something that happened before error reports could be sent, and where. */
export type EarlyEvent =
  | { kind: 'error'; thrown: unknown; path: string }
  | { kind: 'call'; outcome: CallOutcome; path: string }

/** More than a working page produces, and enough to understand a broken one. */
const EVENT_COUNT_MAX = 20

const events: EarlyEvent[] = []
let stop = () => {}

/** Starts with the page's first script, so that nothing is missed while the SDK is loading. */
export function keepEarlyErrors(): void {
  const keep = (event: EarlyEvent) => {
    if (events.length < EVENT_COUNT_MAX) events.push(event)
  }
  const onError = ({ error, message }: ErrorEvent) =>
    keep({ kind: 'error', thrown: error ?? message, path: location.pathname })
  const onRejection = ({ reason }: PromiseRejectionEvent) =>
    keep({ kind: 'error', thrown: reason, path: location.pathname })
  const stopCalls = onCallOutcome(outcome => keep({ kind: 'call', outcome, path: location.pathname }))
  addEventListener('error', onError)
  addEventListener('unhandledrejection', onRejection)
  stop = () => {
    stopCalls()
    removeEventListener('error', onError)
    removeEventListener('unhandledrejection', onRejection)
  }
}

/** Stops collecting; whoever takes the events has to listen from now on. */
export function takeEarlyErrors(): EarlyEvent[] {
  stop()
  stop = () => {}
  return events.splice(0)
}
