import 'server-only'
import { parseJsonObject } from '@/lib/http/upstream/json-object'
import { createDeliveredCounter, type Delivered } from './count-delivered'
import { eventData, nextBoundary } from './event-boundary'
import { createEventCarry } from './event-carry'
import { hasValue } from './json-bytes'

const USAGE = Buffer.from('"usage"')
const ERROR = Buffer.from('"error"')
const FINISH_REASON = Buffer.from('"finish_reason"')
const DONE = Buffer.from('[DONE]')

/** Usage is told once, or runs along with every chunk; the first and the last reports are kept. */
const USAGE_REPORT_COUNT_MAX = 4

/** What the upstream's chunks call themselves; our last chunk must not stand out from them. */
export interface Envelope {
  id: string
  model: string
  created: number
}

export interface EventFilter {
  /** The bytes to forward, or null when there is nothing to say yet. @throws EventTooLargeError */
  push(chunk: Buffer): Buffer | null
  /** The rest at the end of the upstream's answer, for those that leave out the last blank line. */
  flush(): Buffer | null
  delivered(): Delivered
  readonly usageReports: readonly unknown[]
  /** An error that the upstream sent in its stream. */
  readonly error: unknown
  readonly done: boolean
  /** Some choice has told why it ended. */
  readonly finished: boolean
  readonly envelope: Envelope | null
}

/**
 * Looks through an upstream's event stream without decoding it. Only events that can tell usage, an
 * error or the end, and the first one, are parsed; all others are forwarded as they came.
 */
export function createEventFilter(): EventFilter {
  const carry = createEventCarry()
  const counter = createDeliveredCounter()
  const usageReports: unknown[] = []
  const state = { error: null as unknown, done: false, finished: false, envelope: null as Envelope | null }

  function relay(bytes: Buffer): Buffer | null {
    if (state.done || state.error !== null) return null
    const kept = state.envelope && !mayNeedLook(bytes) ? bytes : relayEvents(bytes)
    if (kept === null) return null
    counter.count(kept)
    state.finished ||= hasValue(kept, FINISH_REASON)
    return kept
  }

  function relayEvents(bytes: Buffer): Buffer | null {
    const kept: Buffer[] = []
    let keptBytes = 0
    for (let start = 0; start < bytes.length && !state.done && state.error === null; ) {
      const end = nextBoundary(bytes, start)
      const event = bytes.subarray(start, end)
      const forwarded = relayEvent(event)
      if (forwarded) {
        kept.push(forwarded)
        keptBytes += forwarded === event ? forwarded.length : Number.NaN
      }
      start = end
    }
    if (kept.length === 0) return null
    return keptBytes === bytes.length ? bytes : Buffer.concat(kept)
  }

  function relayEvent(event: Buffer): Buffer | null {
    if (state.envelope && !mayNeedLook(event)) return event
    const data = eventData(event).trim()
    if (data === '') return event
    if (data === '[DONE]') {
      state.done = true
      return null
    }
    const parsed = parseJsonObject(data)
    if (!parsed) return event
    state.envelope ??= readEnvelope(parsed)
    if (parsed.error !== undefined && parsed.error !== null) {
      state.error = parsed.error
      return null
    }
    return parsed.usage === undefined || parsed.usage === null ? event : takeUsage(parsed)
  }

  /** Our own last chunk tells the usage, with what was charged; the upstream's report is taken out. */
  function takeUsage({ usage, ...rest }: Record<string, unknown>): Buffer | null {
    if (usageReports.length === USAGE_REPORT_COUNT_MAX) usageReports.splice(1, 1)
    usageReports.push(usage)
    if (!Array.isArray(rest.choices) || rest.choices.length === 0) return null
    return Buffer.from(`data: ${JSON.stringify(rest)}\n\n`)
  }

  return {
    push(chunk) {
      const bytes = carry.push(chunk)
      return bytes && relay(bytes)
    },
    flush() {
      const rest = carry.takeRest()
      return rest && relay(Buffer.concat([rest, Buffer.from('\n\n')]))
    },
    delivered: counter.delivered,
    usageReports,
    get error() {
      return state.error
    },
    get done() {
      return state.done
    },
    get finished() {
      return state.finished
    },
    get envelope() {
      return state.envelope
    },
  }
}

function mayNeedLook(bytes: Buffer): boolean {
  return hasValue(bytes, USAGE) || hasValue(bytes, ERROR) || bytes.includes(DONE)
}

function readEnvelope(chunk: Record<string, unknown>): Envelope | null {
  if (typeof chunk.id !== 'string' && !Array.isArray(chunk.choices)) return null
  return {
    id: typeof chunk.id === 'string' ? chunk.id.slice(0, 256) : '',
    model: typeof chunk.model === 'string' ? chunk.model.slice(0, 256) : '',
    created: typeof chunk.created === 'number' ? chunk.created : 0,
  }
}
