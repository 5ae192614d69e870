import 'server-only'
import type { Database } from '@/lib/db/database'
import type { MoneyTable } from '@/lib/db/schema'
import { askDatabase } from './ask-database'

type MoneyKind = MoneyTable['kind']

/** For the operator: why a start with one kind of money is refused by a database with the other. */
const REFUSALS: Record<MoneyKind, string> = {
  real:
    "The money in this database is the sandbox's and not real, but the current settings would treat it as real. " +
    'Give the site its own database: set another DATABASE_URL, or another DATA_DIR.',
  pretend:
    'The money in this database is real, but the current settings are those of the sandbox, which creates money from nothing. ' +
    'Start with the settings of the site, or give the sandbox its own database: set another DATABASE_URL, or another DATA_DIR.',
}

export class OtherMoneyError extends Error {
  override readonly name = 'OtherMoneyError'
}

/**
 * Records whether the money of this database is real: the first start decides, and a start of the other kind is refused
 * from then on. Pretend money must never be spent on an upstream that sends a bill, nor be created beside real money.
 *
 * @throws OtherMoneyError with a sentence for the operator
 * @throws LedgerError unavailable
 */
export async function claimMoney(database: Database, kind: MoneyKind): Promise<void> {
  const { kysely } = database
  const claimed = await askDatabase(async () => {
    await kysely
      .insertInto('money')
      .values({ kind })
      .onConflict(conflict => conflict.doNothing())
      .execute()
    return kysely.selectFrom('money').select('kind').executeTakeFirstOrThrow()
  })
  if (claimed.kind !== kind) throw new OtherMoneyError(REFUSALS[kind])
}
