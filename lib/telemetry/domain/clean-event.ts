import {
  boolean,
  type Clean,
  cleanObject,
  identifier,
  list,
  number,
  optional,
  scalar,
  table,
  text,
} from './clean-fields'

/** Seconds as a number, or a date as text. */
const time: Clean = value => number(value) ?? text(value)

/** No local variables (`vars`), no lines of source. */
const FRAME = cleanObject({
  filename: text,
  abs_path: text,
  function: text,
  module: text,
  lineno: number,
  colno: number,
  in_app: boolean,
})

const EXCEPTION = cleanObject({
  type: text,
  value: text,
  module: text,
  mechanism: optional({ type: text, handled: boolean, synthetic: boolean }),
  stacktrace: optional({ frames: list(FRAME) }),
})

const BREADCRUMB = cleanObject({
  type: text,
  category: text,
  level: text,
  timestamp: time,
  message: text,
  data: optional({ method: text, endpoint: text, status: scalar, from: text, to: text }),
})

const TRACE = {
  trace_id: identifier,
  span_id: identifier,
  parent_span_id: identifier,
  op: text,
  status: text,
  origin: text,
}

const SPAN = cleanObject({
  ...TRACE,
  description: text,
  start_timestamp: time,
  timestamp: time,
  exclusive_time: number,
})

/**
 * An error report's event, reduced to what this product intends to send. Each field is named here, so that nothing
 * added by a later version of the SDK, or by an integration, is sent: of the request no header except the browser's
 * name, no cookies, no body; no user; nothing extra.
 */
export const cleanEvent = cleanObject({
  event_id: identifier,
  type: text,
  timestamp: time,
  start_timestamp: time,
  platform: text,
  level: text,
  release: text,
  environment: text,
  transaction: text,
  transaction_info: optional({ source: text }),
  sdk: optional({ name: text, version: text }),
  tags: table(scalar),
  fingerprint: list(text),
  message: text,
  exception: optional({ values: list(EXCEPTION) }),
  breadcrumbs: list(BREADCRUMB),
  spans: list(SPAN),
  measurements: table(cleanObject({ value: number, unit: text })),
  request: optional({ url: text, method: text, headers: optional({ 'User-Agent': text }) }),
  contexts: optional({
    trace: optional(TRACE),
    profile: optional({ profile_id: identifier, profiler_id: identifier }),
    runtime: optional({ name: text, version: text }),
  }),
})

/** A part of a profile: which functions ran when. Frames and stacks are referred to by number. */
export const cleanProfileChunk = cleanObject({
  chunk_id: identifier,
  profiler_id: identifier,
  version: text,
  platform: text,
  release: text,
  environment: text,
  client_sdk: optional({ name: text, version: text }),
  profile: optional({
    samples: list(cleanObject({ stack_id: number, thread_id: text, timestamp: number })),
    stacks: list(list(number)),
    frames: list(FRAME),
    thread_metadata: table(cleanObject({ name: text })),
  }),
})
