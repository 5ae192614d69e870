import 'server-only'
import { LedgerError } from '../domain/ledger-error'
import type { Books } from '../server/books'

/** The books lie with the host. This deployment's own tables are empty: to read them would be a wrong answer. */
export function createHostBooks(): Books {
  return { getAccount: refuse, usageByDay: refuse, check: refuse }
}

async function refuse(): Promise<never> {
  throw new LedgerError(
    'unavailable',
    'This deployment keeps no ledger: run this command where PAYMENTS_HOST points.',
  )
}
