import {
  addBreadcrumb,
  breadcrumbsIntegration,
  browserProfilingIntegration,
  browserTracingIntegration,
  captureEvent,
  captureException,
  dedupeIntegration,
  type ErrorEvent,
  eventFiltersIntegration,
  globalHandlersIntegration,
  httpContextIntegration,
  init,
  linkedErrorsIntegration,
  makeFetchTransport,
} from '@sentry/nextjs'
import { onCallOutcome } from '@/lib/http/client/watched-fetch'
import type { CallOutcome } from '@/lib/http/domain/call-outcome'
import { creditIdFirstSegment, creditIdStore, isCreditId } from '@/lib/local/credit-id'
import { isFailedCall, levelOf, messageOfCall, tagsOf } from '../domain/describe-report'
import { endpointOf } from '../domain/endpoint'
import { flowOfAddress } from '../flow'
import {
  BREADCRUMB_COUNT_MAX,
  cleanTransport,
  judgeEvent,
  PROFILE_SAMPLE_RATE,
  TRACE_SAMPLE_RATE,
} from '../sending'
import type { EarlyEvent } from './early-errors'

/** A page that fails in a loop stops reporting after this many. */
const REPORT_COUNT_MAX = 50

/**
 * Starts the SDK and reports what happened before it was loaded. Of the SDK's own instrumentation only errors,
 * navigation and timing are on: clicks, input and console output may contain somebody's words.
 */
export function startBrowserReports(dsn: string, early: readonly EarlyEvent[]): void {
  let reportCount = 0
  init({
    dsn,
    transport: cleanTransport(makeFetchTransport),
    transportOptions: { fetchOptions: { referrerPolicy: 'no-referrer' } },
    defaultIntegrations: false,
    integrations: [
      eventFiltersIntegration(),
      dedupeIntegration(),
      linkedErrorsIntegration(),
      httpContextIntegration(),
      globalHandlersIntegration(),
      breadcrumbsIntegration({ dom: false, fetch: false, xhr: false, sentry: false }),
      browserTracingIntegration(),
      browserProfilingIntegration(),
    ],
    maxBreadcrumbs: BREADCRUMB_COUNT_MAX,
    sendClientReports: false,
    enhanceFetchErrorMessages: false,
    traceLifecycle: 'static',
    tracesSampleRate: TRACE_SAMPLE_RATE,
    // No header of ours on any request, whoever receives it.
    tracePropagationTargets: [],
    profileLifecycle: 'trace',
    profileSessionSampleRate: PROFILE_SAMPLE_RATE,
    beforeSend(event) {
      const judged = judgeEvent(withPageTags(event), Math.random())
      if (judged === null || reportCount >= REPORT_COUNT_MAX) return null
      reportCount += 1
      return judged
    },
  })
  for (const event of early) {
    if (event.kind === 'call') noteCall(event.outcome, event.path)
    else captureException(event.thrown, { tags: pageTags(event.path) })
  }
  onCallOutcome(outcome => noteCall(outcome, location.pathname))
}

/** Handles the API's hooks: a breadcrumb for every call, and a report for a failed one. */
function noteCall(outcome: CallOutcome, path: string): void {
  const { method, status } = outcome
  const endpoint = endpointOf(outcome.path)
  const failed = isFailedCall(outcome)
  addBreadcrumb({
    type: 'http',
    category: 'api',
    level: failed ? levelOf(status) : 'info',
    data: { method, endpoint, status: status ?? outcome.failure?.name },
  })
  if (!failed) return
  captureEvent({
    message: messageOfCall(outcome),
    level: levelOf(status),
    tags: { ...pageTags(path), ...tagsOf({ flow: flowOfAddress(path), endpoint, status }) },
    ...(outcome.failure && {
      exception: { values: [{ type: outcome.failure.name, value: messageOfCall(outcome) }] },
    }),
  })
}

function withPageTags(event: ErrorEvent): ErrorEvent {
  return { ...event, tags: { ...pageTags(location.pathname), ...event.tags } }
}

/** Of the credit_id only the first segment, by which the reports of somebody who asks for help can be found. */
function pageTags(path: string): Record<string, string> {
  const creditId = creditIdStore.getSnapshot()
  return {
    ...tagsOf({ flow: flowOfAddress(path), endpoint: null, status: null }),
    ...(creditId && isCreditId(creditId) ? { credit: creditIdFirstSegment(creditId) } : {}),
  }
}
