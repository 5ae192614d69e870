import 'server-only'
import { z } from 'zod'
import { type Services, services } from '@/lib/composition'
import { within } from '@/lib/http/domain/within'
import { requireBearerSecret } from '@/lib/http/same-secret'
import { log } from '@/lib/observability/log'
import { metrics } from '@/lib/observability/metrics'
import { NO_STORE, probeRoute } from './route'

/** For all of an answer: shorter than the timeout of any usual probe. */
const ANSWER_MS_MAX = 2_000
/** How long a result is reused, so that a flood of probes is none for the database. */
const READINESS_AGE_MS_MAX = 1_000

const check = z.enum(['ok', 'failed'])
const readiness = z.object({
  ready: z.boolean(),
  checks: z.object({
    database: check.describe('`ok` if the database answers, and is not read-only.'),
    migrations: check.describe('`ok` if the database has the schema of this version.'),
    upstream: check.describe('`ok` if an AI host answers, or has answered within the last ten minutes.'),
    gateway: check.describe(
      '`ok` if there is a way to pay. If another deployment keeps the ledger, that deployment decides.',
    ),
  }),
})
type Readiness = z.output<typeof readiness>

/** For monitoring. */
export const probeRoutes = [
  probeRoute(
    {
      method: 'GET',
      path: '/api/health',
      summary: 'Check whether the process is alive',
      description: 'Uses nothing but the process itself. Restart a process that does not answer.',
      caller: 'public',
      answer: z.object({ alive: z.literal(true) }),
    },
    async () => Response.json({ alive: true }, { headers: NO_STORE }),
  ),
  probeRoute(
    {
      method: 'GET',
      path: '/api/ready',
      summary: 'Check whether requests can be served',
      description:
        'Answers within two seconds; the checks run at most once a second. Send no traffic to a process that answers 503.',
      caller: 'public',
      answer: readiness,
      answersByStatus: { 503: readiness.describe('At least one part has failed.') },
    },
    async () => {
      const found = await currentReadiness()
      return Response.json(found, { status: found.ready ? 200 : 503, headers: NO_STORE })
    },
  ),
  probeRoute(
    {
      method: 'GET',
      path: '/api/metrics',
      summary: 'Get the metrics of this process, for Prometheus',
      description:
        '`Authorization: Bearer <METRICS_TOKEN>`. The route does not exist if METRICS_TOKEN is not set.',
      caller: 'secret',
      answersByType: { 'text/plain': z.string() },
    },
    async request => {
      requireBearerSecret(request, 'METRICS_TOKEN', (await services()).settings.metricsToken)
      const { contentType, text } = await metrics.read()
      return new Response(text, { headers: { ...NO_STORE, 'content-type': contentType } })
    },
  ),
]

let latest: { of: Services | null; takenAtMs: number; found: Promise<Readiness> } | null = null

async function currentReadiness(): Promise<Readiness> {
  const askedAtMs = performance.now()
  let reason: unknown = null
  const available = await within(ANSWER_MS_MAX, services()).catch(error => {
    reason = error
    return null
  })
  const nowMs = performance.now()
  if (latest?.of !== available || nowMs - latest.takenAtMs > READINESS_AGE_MS_MAX)
    latest = {
      of: available,
      takenAtMs: nowMs,
      found: look(available, { reason, leftMs: Math.max(0, ANSWER_MS_MAX - (nowMs - askedAtMs)) }),
    }
  return latest.found
}

/** @param reason why there are no services, if that is known */
async function look(
  available: Services | null,
  { reason, leftMs }: { reason: unknown; leftMs: number },
): Promise<Readiness> {
  // Where they open at the first request, as on Vercel, no start has said it.
  if (reason) log.warn('not ready: services', { error: reason })
  const [migrated, upstream, gateway] = await Promise.all([
    attempt('database', leftMs, available && (() => available.isMigrated())),
    attempt('upstream', leftMs, available && (() => available.catalogue.isAnswering())),
    attempt('gateway', leftMs, available && (() => hasGateway(available))),
  ])
  const passed = {
    database: migrated !== null,
    migrations: migrated === true,
    upstream: upstream === true,
    gateway: gateway === true,
  }
  const checks = Object.fromEntries(
    Object.entries(passed).map(([name, isOk]) => [name, isOk ? 'ok' : 'failed']),
  ) as Readiness['checks']
  return { ready: Object.values(passed).every(Boolean), checks }
}

/** Null if it could not be found out in time; only the log says why. */
async function attempt(
  name: string,
  timeMs: number,
  ask: (() => Promise<boolean>) | null,
): Promise<boolean | null> {
  try {
    return ask && (await within(timeMs, ask()))
  } catch (error) {
    log.warn(`not ready: ${name}`, { error })
    return null
  }
}

async function hasGateway({ settings, payments }: Services): Promise<boolean> {
  if (settings.paymentsHost) return (await payments.listMethods()).length > 0
  return settings.sandbox.gateway || Object.values(settings.gateways).some(group => group !== null)
}
