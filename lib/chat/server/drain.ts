import 'server-only'
import { within } from '@/lib/ledger/server/metering/within'
import type { ExchangeContext } from './exchange-context'

/**
 * Lets running answers end before the process does. What takes longer is stopped, so that the delivered
 * part is settled by its owner and not by the sweeper.
 */
export async function drain(context: ExchangeContext): Promise<void> {
  const finished = () => Promise.all(context.owners.all().map(exchange => exchange.finished))
  await within(context.limits.drainTimeoutMs, finished())
  for (const exchange of context.owners.all()) exchange.stop('shutdown')
  await finished()
}
