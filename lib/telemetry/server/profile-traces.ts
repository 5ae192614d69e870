import 'server-only'
import { randomBytes } from 'node:crypto'
import { type Profiler, Session } from 'node:inspector'
import { getRootSpan, type init, type Span, spanToJSON } from '@sentry/nextjs'
import { PROFILE_SAMPLE_RATE } from '../sending'

type Client = NonNullable<ReturnType<typeof init>>
type Integration = Parameters<Client['addIntegration']>[0]

/** A hundred samples a second, for a minute at most, because an answer may take many minutes. */
const SAMPLE_INTERVAL_US = 10_000
const PROFILE_MS_MAX = 60_000
const THREAD_ID = '0'
const IS_SAMPLED = 1
/** What Next calls the span of a request. It also traces how it loads its own modules. */
const REQUEST_SPAN = 'BaseServer.handleRequest'

/**
 * Profiles a share of the traced requests with Node's own profiler, because the SDK's is a native module of another
 * version than the rest of it. One profile at a time; it also contains whatever else runs in the process meanwhile.
 */
export function traceProfilesIntegration(): Integration {
  const profilerId = randomBytes(16).toString('hex')
  const profiledSpanIds = new Set<string>()
  let running: { spanId: string; stop: () => void } | null = null
  return {
    name: 'TraceProfiles',
    setup(client) {
      client.on('spanStart', span => {
        if (running !== null || !isTracedRequest(span) || Math.random() >= PROFILE_SAMPLE_RATE) return
        const { spanId } = span.spanContext()
        const stopProfiler = startProfiler(profile => sendProfile(client, profilerId, profile))
        const timer = setTimeout(() => running?.stop(), PROFILE_MS_MAX)
        profiledSpanIds.add(spanId)
        running = {
          spanId,
          stop: () => {
            clearTimeout(timer)
            running = null
            stopProfiler()
          },
        }
      })
      client.on('spanEnd', span => {
        if (running?.spanId === span.spanContext().spanId) running.stop()
      })
    },
    processEvent(event) {
      const spanId = event.type === 'transaction' ? event.contexts?.trace?.span_id : undefined
      if (spanId === undefined || !profiledSpanIds.delete(spanId)) return event
      // The type also requires the id of a complete profile, which this is not.
      return {
        ...event,
        contexts: Object.assign({}, event.contexts, { profile: { profiler_id: profilerId } }),
      }
    },
  }
}

function isTracedRequest(span: Span): boolean {
  const isTraced = (span.spanContext().traceFlags & IS_SAMPLED) === IS_SAMPLED
  return (
    isTraced && getRootSpan(span) === span && spanToJSON(span).attributes['next.span_type'] === REQUEST_SPAN
  )
}

function startProfiler(take: (profile: Profiler.Profile) => void): () => void {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.setSamplingInterval', { interval: SAMPLE_INTERVAL_US })
  session.post('Profiler.start')
  return () =>
    session.post('Profiler.stop', (error, stopped) => {
      session.disconnect()
      if (error === null) take(stopped.profile)
    })
}

function sendProfile(client: Client, profilerId: string, profile: Profiler.Profile): void {
  const { release, environment } = client.getOptions()
  const sdk = client.getSdkMetadata()?.sdk
  const chunk = {
    chunk_id: randomBytes(16).toString('hex'),
    profiler_id: profilerId,
    version: '2' as const,
    platform: 'node',
    release: release ?? '',
    environment: environment ?? '',
    client_sdk: { name: sdk?.name ?? '', version: sdk?.version ?? '' },
    profile: describeProfile(profile),
  }
  const headers = { sent_at: new Date().toISOString() }
  void client.sendEnvelope([headers, [[{ type: 'profile_chunk', platform: 'node' }, chunk]]])
}

/** A frame and a stack for each of the profiler's nodes, and which of them ran when. */
function describeProfile({ nodes, samples = [], timeDeltas = [], startTime, endTime }: Profiler.Profile) {
  const indexes = new Map(nodes.map(({ id }, index) => [id, index]))
  const parents = new Map(nodes.flatMap(({ id, children }) => (children ?? []).map(child => [child, id])))
  const stackOf = (id: number | undefined): number[] =>
    id === undefined ? [] : [indexes.get(id) ?? 0, ...stackOf(parents.get(id))]
  // The profiler's clock has an origin of its own.
  const clockOffsetUs = Date.now() * 1000 - endTime
  let timeUs = startTime
  return {
    frames: nodes.map(({ callFrame }) => ({
      function: callFrame.functionName || '<anonymous>',
      filename: callFrame.url,
      lineno: callFrame.lineNumber + 1,
      colno: callFrame.columnNumber + 1,
    })),
    stacks: nodes.map(({ id }) => stackOf(id)),
    samples: samples.map((id, index) => {
      timeUs += timeDeltas[index] ?? 0
      const timestamp = (timeUs + clockOffsetUs) / 1_000_000
      return { stack_id: indexes.get(id) ?? 0, thread_id: THREAD_ID, timestamp }
    }),
    thread_metadata: { [THREAD_ID]: { name: 'main' } },
  }
}
