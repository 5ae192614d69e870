import 'server-only'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { processWide } from './process-wide'

/** From a lookup in memory to an answer that takes minutes. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const FIRST_TOKEN_SECONDS = [0.1, 0.25, 0.5, 1, 2, 3, 5, 8, 13, 20, 30, 60]

/** The figures of a node-postgres pool. */
interface Pool {
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
}

/**
 * What this process has done since it started, for Prometheus. Labels come from closed sets or from the operator:
 * patterns of paths, names of hosts and methods; never an account, a key or a model.
 */
export const metrics = processWide('metrics', createMetrics)

function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const pools = new Set<Pool>()
  let isWatchingProcess = false
  new Gauge({
    name: 'tuppence_database_connections',
    help: 'Connections in the pool by state, and callers waiting for one.',
    labelNames: ['state'],
    registers,
    collect() {
      const sum = (count: (pool: Pool) => number) => [...pools].reduce((all, pool) => all + count(pool), 0)
      this.set(
        { state: 'busy' },
        sum(pool => pool.totalCount - pool.idleCount),
      )
      this.set(
        { state: 'idle' },
        sum(pool => pool.idleCount),
      )
      this.set(
        { state: 'waiting' },
        sum(pool => pool.waitingCount),
      )
    },
  })
  return {
    requests: new Counter({
      name: 'tuppence_http_requests_total',
      help: 'API requests answered.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'tuppence_http_request_duration_seconds',
      help: 'Seconds from an API request to the last byte of its response.',
      labelNames: ['route'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    runningExchanges: new Gauge({
      name: 'tuppence_exchanges_running',
      help: 'Paid calls running at the moment.',
      registers,
    }),
    holds: new Counter({
      name: 'tuppence_holds_total',
      help: 'Holds placed, and how they ended.',
      labelNames: ['event'],
      registers,
    }),
    chargedUsd: new Counter({
      name: 'tuppence_charged_usd_total',
      help: 'USD charged to accounts for answers.',
      registers,
    }),
    lossUsd: new Counter({
      name: 'tuppence_operator_loss_usd_total',
      help: 'USD that upstreams bill, or may bill, and no account pays.',
      registers,
    }),
    upstreamErrors: new Counter({
      name: 'tuppence_upstream_errors_total',
      help: 'Calls that an upstream failed to answer, or to answer completely.',
      labelNames: ['host', 'kind'],
      registers,
    }),
    firstTokenSeconds: new Histogram({
      name: 'tuppence_first_token_seconds',
      help: 'Seconds from a paid call to the first byte of its answer.',
      labelNames: ['host'],
      buckets: FIRST_TOKEN_SECONDS,
      registers,
    }),
    invoicesCredited: new Counter({
      name: 'tuppence_invoices_credited_total',
      help: 'Payments credited.',
      labelNames: ['method'],
      registers,
    }),
    creditedUsd: new Counter({
      name: 'tuppence_invoices_credited_usd_total',
      help: 'USD credited for payments, bonuses included.',
      labelNames: ['method'],
      registers,
    }),
    watchPool(pool: Pool): () => void {
      pools.add(pool)
      return () => pools.delete(pool)
    },
    /** Memory, event loop delays and garbage collection, which are measured only if metrics are enabled. */
    watchProcess(): void {
      if (!isWatchingProcess) collectDefaultMetrics({ register: registry })
      isWatchingProcess = true
    },
    /** In Prometheus' format. */
    async read(): Promise<{ contentType: string; text: string }> {
      this.watchProcess()
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}
