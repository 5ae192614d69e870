import 'server-only'
import type { ExchangeLimits } from '../domain/exchange-limits'
import type { ExchangeBoard } from './exchange-board'
import type { ExchangeOwners } from './exchange-owners'
import type { RunningExchange } from './running-exchange'

/**
 * Owners that also tell the other processes what runs here, and listen for stops that were asked for
 * there. While the board cannot be reached, answers are written all the same.
 */
export function announceOwned(
  owners: ExchangeOwners,
  input: {
    board: ExchangeBoard
    limits: ExchangeLimits
    keepAlive: (work: Promise<unknown>) => void
  },
): ExchangeOwners {
  const { board, limits } = input
  const announced = new Map<string, RunningExchange>()
  let isListening = false

  async function announce(exchange: RunningExchange): Promise<void> {
    const { id, accountId, resumeName } = exchange
    announced.set(id, exchange)
    listen()
    try {
      await board.announce({ exchangeId: id, accountId, resumeName }, limits.announcementTtlSeconds)
      await exchange.finished
      await board.withdraw(id)
    } catch {
      // It expires by itself.
    } finally {
      await exchange.finished
      announced.delete(id)
    }
  }

  function listen(): void {
    if (isListening) return
    isListening = true
    setTimeout(hear, limits.stopLookIntervalMs).unref()
  }

  async function hear(): Promise<void> {
    const exchangeIds = [...announced.keys()]
    isListening = false
    if (exchangeIds.length === 0) return
    try {
      const stopIds = await board.keep(exchangeIds, limits.announcementTtlSeconds)
      for (const id of stopIds) announced.get(id)?.stop('stopped')
    } catch {
      // The database is away; the next look asks again.
    }
    listen()
  }

  return {
    ...owners,
    claim(exchange) {
      owners.claim(exchange)
      input.keepAlive(announce(exchange))
    },
  }
}
