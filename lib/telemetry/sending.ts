import type { createTransport, ErrorEvent } from '@sentry/nextjs'
import { cleanEnvelope } from './domain/clean-envelope'
import { isEventReported, levelOfEvent } from './domain/judge-event'

type Transport = ReturnType<typeof createTransport>
type Envelope = Parameters<Transport['send']>[0]

/** The share of page loads and requests that are traced, and the share of those that are profiled. */
export const TRACE_SAMPLE_RATE = 0.1
export const PROFILE_SAMPLE_RATE = 0.1

/** Enough to see what led to an error. */
export const BREADCRUMB_COUNT_MAX = 30

/** A transport that only sends what is left of an envelope after cleaning. */
export function cleanTransport<Options>(
  makeTransport: (options: Options) => Transport,
): (options: Options) => Transport {
  return options => {
    const transport = makeTransport(options)
    return {
      flush: timeoutMs => transport.flush(timeoutMs),
      send(envelope) {
        const cleaned = cleanEnvelope(envelope)
        // Although rebuilt from named fields, it is still an envelope, which its type no longer shows.
        return cleaned ? transport.send(cleaned as Envelope) : Promise.resolve({})
      },
    }
  }
}

/** Decides for the SDK which reports are sent; null drops the report. */
export function judgeEvent(event: ErrorEvent, draw: number): ErrorEvent | null {
  if (!isEventReported(event, draw)) return null
  return { ...event, level: levelOfEvent(event) ?? event.level }
}
