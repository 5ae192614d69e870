/** So many browsers run side by side, each against an app and an upstream of its own. */
export const WORKER_COUNT = 2
/** What a worker's tests start further takes the ports behind its own. */
const PORTS_PER_WORKER = 10

/** Fixed and unusual, so that a development server on 3000 does not get in the way. */
export function portsOf(worker: number): { app: number; upstream: number } {
  const app = Number(process.env.E2E_APP_PORT ?? '3417')
  const upstream = Number(process.env.E2E_UPSTREAM_PORT ?? '4417')
  return { app: app + worker * PORTS_PER_WORKER, upstream: upstream + worker * PORTS_PER_WORKER }
}

/** Those of the worker that this runs in; the test runner counts them from 0. */
export const { app: APP_PORT, upstream: UPSTREAM_PORT } = portsOf(
  Number(process.env.TEST_PARALLEL_INDEX ?? '0'),
)
