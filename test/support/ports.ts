/** How many browsers run in parallel, each with an app and an upstream of its own. */
export const WORKER_COUNT = 3
/** Whatever else a worker's tests start uses the ports after its own. */
const PORTS_PER_WORKER = 10

/** Fixed and unusual, so that a development server on 3000 is not in the way. */
export function portsOf(worker: number): { app: number; upstream: number } {
  const app = Number(process.env.E2E_APP_PORT ?? '3417')
  const upstream = Number(process.env.E2E_UPSTREAM_PORT ?? '4417')
  return { app: app + worker * PORTS_PER_WORKER, upstream: upstream + worker * PORTS_PER_WORKER }
}

/** The ports of this worker; the test runner counts workers from 0. */
export const { app: APP_PORT, upstream: UPSTREAM_PORT } = portsOf(
  Number(process.env.TEST_PARALLEL_INDEX ?? '0'),
)
