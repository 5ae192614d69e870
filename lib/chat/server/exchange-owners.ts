import 'server-only'
import type { RunningExchange } from './running-exchange'

/**
 * Who owns a running exchange. Only its owner can stop it or hand out what it is still receiving.
 *
 * This one knows the exchanges of its own process. A deployment of several processes answers `find`
 * from a shared place instead and forwards to the owner; until then an exchange of another process is
 * not found here, its hold ends by itself, and its finished answer is in the replay store for all.
 */
export interface ExchangeOwners {
  claim(exchange: RunningExchange): void
  /** By the exchange's id, or by the name that a browser derives from its resume key. */
  find(name: string): RunningExchange | null
  all(): RunningExchange[]
}

export function createExchangeOwners(): ExchangeOwners {
  const byName = new Map<string, RunningExchange>()
  const running = new Set<RunningExchange>()
  return {
    claim(exchange) {
      const names = [exchange.id, ...(exchange.resumeName === null ? [] : [exchange.resumeName])]
      running.add(exchange)
      for (const name of names) byName.set(name, exchange)
      void exchange.finished.finally(() => {
        running.delete(exchange)
        for (const name of names) if (byName.get(name) === exchange) byName.delete(name)
      })
    },
    find: name => byName.get(name) ?? null,
    all: () => [...running],
  }
}
