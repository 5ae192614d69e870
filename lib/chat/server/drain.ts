import 'server-only'
import { setTimeout as wait } from 'node:timers/promises'
import type { ExchangeContext } from './exchange-context'

/**
 * Lets running answers end before the process does. What takes longer is stopped, so that the delivered
 * part is settled by its owner and not by the sweeper.
 */
export async function drain(context: ExchangeContext): Promise<void> {
  const patience = new AbortController()
  const finished = () => Promise.all(context.owners.all().map(exchange => exchange.finished))
  await Promise.race([
    finished(),
    wait(context.limits.drainTimeoutMs, null, { signal: patience.signal }).catch(() => null),
  ])
  patience.abort()
  for (const exchange of context.owners.all()) exchange.stop('shutdown')
  await finished()
}
