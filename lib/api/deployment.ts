import 'server-only'
import { z } from 'zod'
import { requireSameOrigin } from '@/lib/auth/server/require-same-origin'
import type { Services } from '@/lib/composition'
import { type Served, served, serveHost } from '@/lib/host-mode/server/serve-host'
import { ApiError } from '@/lib/http/api-error'
import { readJson } from '@/lib/http/read-body'
import { requireBearerSecret } from '@/lib/http/same-secret'
import { siteAddress } from '@/lib/i18n/site-address'
import { LEDGER_CONTRACT } from '@/lib/ledger/domain/ledger'
import { formatUsd } from '@/lib/money/nano'
import { PAYMENTS_CONTRACT, REFILL_LINKS_CONTRACT } from '@/lib/payments/domain/payments'
import { telemetryBody } from '@/lib/telemetry/domain/telemetry-body'
import { sendToAnalytics } from '@/lib/telemetry/server/send-to-analytics'
import { runUpkeep } from '@/lib/upkeep'
import { errorSchema } from './contracts/error'
import { type Route, route } from './route'

/** Enough for eight events with the longest paths. */
const TELEMETRY_BYTES_MAX = 8 * 1024

/** For the operator of this site, and for its own pages. */
export const deploymentRoutes = [
  ...(['POST', 'GET'] as const).map(method =>
    route(
      {
        method,
        path: '/api/cron/reconcile',
        summary: 'Reconcile open invoices and end expired holds',
        description: '`Authorization: Bearer <CRON_SECRET>`. GET is for Vercel Cron; all others use POST.',
        caller: 'secret',
        answer: z.object({
          checked_count: z.int(),
          failed_count: z.int(),
          credited_usd: z.string(),
          released_hold_count: z.int(),
          settled_hold_count: z.int(),
        }),
      },
      reconcile,
    ),
  ),
  hostRoute('/api/ledger/{verb}', {
    summary: 'Call a verb of the ledger',
    absent: 'This deployment keeps no ledger for others.',
    offers: ({ ledger }) => [served(LEDGER_CONTRACT, ledger)],
  }),
  hostRoute('/api/payments-host/{verb}', {
    summary: 'Call a verb of the payments',
    absent: 'This deployment takes no payments for others.',
    offers: ({ payments, refillLinks }) => [
      served(PAYMENTS_CONTRACT, payments),
      served(REFILL_LINKS_CONTRACT, refillLinks),
    ],
  }),
  route(
    {
      method: 'POST',
      path: '/api/telemetry',
      summary: 'Report a page view and its web vitals',
      description:
        'For this site’s own pages, if analytics is configured. A visitor who asks not to be tracked is not counted.',
      caller: 'public',
      bodiesByType: { 'application/json': telemetryBody },
      status: 204,
    },
    async ({ request, services: { settings, rateLimits, keepAlive } }) => {
      const { analytics } = settings
      if (!analytics) throw new ApiError('not_found', 'Analytics is not configured on this site.')
      requireSameOrigin(request)
      const { headers } = request
      await rateLimits.take('telemetry', headers)
      const body = await readJson(request, telemetryBody, TELEMETRY_BYTES_MAX)
      // Global Privacy Control, Do Not Track.
      const refused = headers.get('sec-gpc') === '1' || headers.get('dnt') === '1'
      if (!refused) keepAlive(sendToAnalytics({ settings: analytics, siteUrl: siteAddress(settings), body }))
      return new Response(null, { status: 204 })
    },
  ),
]

async function reconcile({ request, services }: { request: Request; services: Services }) {
  requireBearerSecret(request, 'CRON_SECRET', services.settings.cronSecret)
  const running = runUpkeep(services)
  // A timer may hang up before the end.
  services.keepAlive(running.catch(() => {}))
  const result = await running
  return {
    checked_count: result.checkedCount,
    failed_count: result.failedCount,
    credited_usd: formatUsd(result.creditedNano),
    released_hold_count: result.releasedHoldCount,
    settled_hold_count: result.settledHoldCount,
  }
}

/** For deployments whose ledger is here; absent if this is not a payments host. */
function hostRoute(
  path: `/api/${string}/{verb}`,
  input: { summary: string; absent: string; offers(services: Services): readonly Served[] },
): Route {
  return route(
    {
      method: 'POST',
      path,
      summary: input.summary,
      description:
        'For deployments that keep their ledger here: `Authorization: Bearer <PAYMENTS_HOST_TOKEN>`.',
      caller: 'secret',
      params: { verb: z.string() },
      bodiesByType: { 'application/json': z.unknown() },
      answer: z.unknown(),
      error: z.union([errorSchema, z.object({ error: z.object({ code: z.string() }) })]),
    },
    async ({ request, services, params: { verb } }) => {
      const { servesAsHostToken: token } = services.settings
      if (token === null) throw new ApiError('not_found', input.absent)
      return serveHost({ request, verb, token, offers: input.offers(services) })
    },
  )
}
