import 'server-only'
import { randomInt } from 'node:crypto'
import {
  captureException,
  eventFiltersIntegration,
  flush,
  init,
  linkedErrorsIntegration,
  makeNodeTransport,
  nodeContextIntegration,
  onUncaughtExceptionIntegration,
  onUnhandledRejectionIntegration,
} from '@sentry/nextjs'
import type { Instrumentation } from 'next'
import type { KeepAlive } from '@/lib/http/keep-alive'
import { onServerError, type ServerErrorEvent } from '@/lib/http/server-errors'
import { tagsOf } from '../domain/describe-report'
import { endpointOf } from '../domain/endpoint'
import { flowOfAddress } from '../flow'
import { BREADCRUMB_COUNT_MAX, cleanTransport, judgeEvent, TRACE_SAMPLE_RATE } from '../sending'
import { traceProfilesIntegration } from './profile-traces'

/** As large as `randomInt` allows. */
const ORGANIZATION_ID_MAX = 2 ** 48 - 1

/** How long a process that would be frozen waits for its reports to be sent. */
const FLUSH_TIMEOUT_MS = 2_000

let keepAlive: KeepAlive | undefined

/**
 * Starts the SDK in this process. Only those of its integrations are on that see errors: none that reads requests,
 * queries or the console. The spans of a trace are Next's own. Of a request only its method, its shape and the flow of
 * the page that made it are passed on.
 *
 * @param keepAliveGiven only where the process is frozen once it has answered
 */
export function startServerReports(dsn: string, keepAliveGiven?: KeepAlive): void {
  keepAlive = keepAliveGiven
  init({
    dsn,
    transport: cleanTransport(makeNodeTransport),
    defaultIntegrations: false,
    integrations: [
      eventFiltersIntegration(),
      linkedErrorsIntegration(),
      nodeContextIntegration(),
      onUncaughtExceptionIntegration(),
      onUnhandledRejectionIntegration(),
      traceProfilesIntegration(),
    ],
    // Does not patch the libraries that this process loads.
    enableRuntimeChannelInjection: false,
    includeServerName: false,
    includeLocalVariables: false,
    maxBreadcrumbs: BREADCRUMB_COUNT_MAX,
    sendClientReports: false,
    traceLifecycle: 'static',
    tracesSampleRate: TRACE_SAMPLE_RATE,
    tracePropagationTargets: [],
    // A request that names a trace would otherwise be sampled whenever it says so; our pages name none, and nobody knows
    // the organization that they would have to name with it.
    strictTraceContinuation: true,
    orgId: randomInt(ORGANIZATION_ID_MAX),
    beforeSend: event => judgeEvent(event, Math.random()),
    // Requests only, not how Next loads its own modules.
    beforeSendTransaction: event => (event.contexts?.trace?.op === 'http.server' ? event : null),
  })
  onServerError(reportApiError)
}

/** An error of the API with status 500 or above. */
function reportApiError({ error, status, request }: ServerErrorEvent): void {
  const endpoint = request && endpointOf(request.url)
  const flow = request && flowOfReferrer(request.headers.get('referer'))
  report(error, { tags: tagsOf({ flow, endpoint, status }) })
}

/** Next answers 500 to whoever makes up this header of its own client: the mistake of a caller, who can make it often. */
const MADE_UP_HEADER = /^(?:The router state header was|Multiple router state headers were) /

/** A page that could not be rendered, or a route that did not go through `handleApi`. */
export const reportRequestError: Instrumentation.onRequestError = (error, request) => {
  if (error instanceof Error && MADE_UP_HEADER.test(error.message)) return
  const path = request.path
  const flow = flowOfAddress(path.replace(/[?#].*$/, ''))
  report(error, {
    mechanism: { handled: false },
    captureContext: { tags: tagsOf({ flow, endpoint: endpointOf(path), status: 500 }) },
  })
}

function report(...exception: Parameters<typeof captureException>): void {
  captureException(...exception)
  keepAlive?.(flush(FLUSH_TIMEOUT_MS))
}

/** Our pages send their address only to ourselves, and only its flow is used. */
function flowOfReferrer(referrer: string | null): string | null {
  return referrer && URL.canParse(referrer) ? flowOfAddress(new URL(referrer).pathname) : null
}
