import { cleanEvent, cleanProfileChunk } from './clean-event'
import { type Clean, cleanObject, identifier, optional, text } from './clean-fields'

/** Headers and items, each with headers of its own: what an error-reporting SDK sends in one request. */
export type EnvelopeParts = readonly [
  headers: unknown,
  items: readonly (readonly [headers: unknown, payload: unknown])[],
]
type CleanItem = [headers: Record<string, unknown>, payload: unknown]

/** Anything not listed here is not sent: sessions, logs, replays, attachments, feedback. */
const CLEAN_BY_TYPE: ReadonlyMap<unknown, Clean> = new Map([
  ['event', cleanEvent],
  ['transaction', cleanEvent],
  ['profile_chunk', cleanProfileChunk],
])

const cleanHeaders = cleanObject({
  event_id: identifier,
  sent_at: text,
  sdk: optional({ name: text, version: text }),
  trace: optional({
    trace_id: identifier,
    public_key: identifier,
    sample_rate: text,
    sample_rand: text,
    sampled: text,
    release: text,
    environment: text,
    transaction: text,
  }),
})

const cleanItemHeaders = cleanObject({ type: text, platform: text })

/**
 * The last step before a report is sent, and one that it cannot bypass: every item is rebuilt from named fields, and
 * every text in it is scrubbed. Null if nothing of it may be sent.
 */
export function cleanEnvelope([headers, items]: EnvelopeParts):
  | [Record<string, unknown>, CleanItem[]]
  | null {
  const cleaned = items.flatMap(([itemHeaders, payload]): CleanItem[] => {
    const kept = cleanItemHeaders(itemHeaders)
    const clean = CLEAN_BY_TYPE.get(kept.type)
    return clean ? [[kept, clean(payload)]] : []
  })
  return cleaned.length === 0 ? null : [cleanHeaders(headers), cleaned]
}
