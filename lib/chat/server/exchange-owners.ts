import 'server-only'
import type { RunningExchange } from './running-exchange'

/**
 * The running exchanges that this process owns. Only their owner can stop them or hand out what they are
 * still receiving; what other processes own stands on the board (exchange-board.ts).
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
