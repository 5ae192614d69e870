import { type CallOutcome, onCallOutcome } from '@/lib/http/client/watched-fetch'

/** Something that happened before the error reports could be sent, and where. */
export type EarlyEvent =
  | { kind: 'error'; thrown: unknown; path: string }
  | { kind: 'call'; outcome: CallOutcome; path: string }

/** More than a page that works produces, and enough to understand one that does not. */
const EVENT_COUNT_MAX = 20

const events: EarlyEvent[] = []
let stop = () => {}

/** From the first script of the page on, so that nothing is missed while the SDK is still on its way. */
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

/** Ends the keeping; whoever takes the events over listens from now on. */
export function takeEarlyErrors(): EarlyEvent[] {
  stop()
  stop = () => {}
  return events.splice(0)
}
