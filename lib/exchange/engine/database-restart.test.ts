import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import type { Database } from '@/lib/db/database'
import { openDatabaseAt } from '@/lib/db/open-database'
import { ApiError } from '@/lib/http/api-error'
import { checkLedger } from '@/lib/ledger/server/check-ledger'
import { ask, QUESTION } from '@/test/support/exchange-calls'
import { readAll } from '@/test/support/exchange-replies'
import { createCustomer, startSite, type TestCustomer, type TestSite } from '@/test/support/exchange-site'
import { type PrivatePostgres, startPrivatePostgres } from '@/test/support/private-postgres'
import { createProgress } from '@/test/support/progress'
import { useStandInUpstream } from '@/test/support/stand-in-upstream'

const CUSTOMER_COUNT = 6
const QUESTIONS_EACH = 20
const RESTART_COUNT = 2
/** A browser that is told 503 asks again; a start that recovers takes a few of these. */
const ATTEMPT_COUNT_MAX = 40
const START_TIMEOUT_MS = 60_000
const TIMEOUT_MS = 120_000

describe('exchanges while their database is killed and started again', () => {
  let postgres: PrivatePostgres
  let database: Database
  const upstream = useStandInUpstream({})
  beforeAll(async () => {
    postgres = await startPrivatePostgres()
    database = await openDatabaseAt(postgres.url)
  }, START_TIMEOUT_MS)
  afterAll(async () => {
    await database.close()
    await postgres.stop()
  }, START_TIMEOUT_MS)

  test(
    'no upstream is called for a hold that did not survive, and the books balance',
    async () => {
      const site = startSite({ database, upstream })
      const customers = await Promise.all(
        Array.from({ length: CUSTOMER_COUNT }, () => createCustomer(site.ledger, 1)),
      )
      const progress = createProgress()
      const asker = async (customer: TestCustomer, who: number) => {
        for (let index = 0; index < QUESTIONS_EACH; index += 1) {
          await askUntilAnswered(site, customer, `question ${who}-${index}.`)
          progress.step()
        }
      }
      const restarter = async () => {
        for (let count = 1; count <= RESTART_COUNT; count += 1) {
          await progress.reached(Math.floor((count * CUSTOMER_COUNT * QUESTIONS_EACH) / (RESTART_COUNT + 1)))
          await postgres.restartImmediately()
        }
      }
      await Promise.all([restarter(), ...customers.map(asker)])
      await site.exchanges.drain()

      // One hold for each call: a call whose hold was lost with the server would be one too many.
      const holds = await database.kysely.selectFrom('hold').select('request_hash').execute()
      const heldFor = countBy(holds.map(({ request_hash }) => request_hash))
      const calls = upstream.requests.filter(({ path }) => path === '/chat/completions')
      const calledFor = countBy(calls.map(({ rawBody }) => requestHash(questionIn(rawBody))))
      expect(calls.length).toBeGreaterThan((CUSTOMER_COUNT * QUESTIONS_EACH) / 2)
      for (const [hash, count] of calledFor) expect(heldFor.get(hash) ?? 0).toBeGreaterThanOrEqual(count)

      await sql`update hold set expires_at = now() - interval '1 second' where state = 'open'`.execute(
        database.kysely,
      )
      await site.ledger.sweep({ holdCountMax: 1_000 })
      const charged = await database.kysely
        .selectFrom('hold')
        .select(['account_id', sql<bigint>`sum(charged_nano)::bigint`.as('nano')])
        .groupBy('account_id')
        .execute()
      for (const customer of customers) {
        const spent = charged.find(row => row.account_id === customer.accountId)?.nano ?? 0n
        const balanceNano = 10n ** 9n - spent
        expect(await site.ledger.getBalance(customer)).toMatchObject({ balanceNano, heldNano: 0n })
      }
      expect((await checkLedger({ database })).differences).toEqual([])
    },
    TIMEOUT_MS,
  )
})

const bodyOf = (content: string) => ({ messages: [{ role: 'user', content }] })

async function askUntilAnswered(site: TestSite, customer: TestCustomer, content: string): Promise<void> {
  const idempotencyKey = randomUUID()
  for (let attempt = 0; attempt < ATTEMPT_COUNT_MAX; attempt += 1) {
    try {
      await readAll(await ask(site, customer, { idempotencyKey, body: bodyOf(content) }))
      return
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // The first attempt's hold was placed, and its answer lost: it ends by its time.
      if (error.code === 'conflict') return
      expect(error).toMatchObject({ code: 'ledger_unavailable', status: 503 })
    }
  }
  throw new Error(`${content} was never answered.`)
}

function questionIn(rawBody: Buffer): string {
  return /question \d+-\d+\./.exec(rawBody.toString('utf8'))?.[0] ?? 'none of ours'
}

/** As the request was sent; see `ask`. */
function requestHash(content: string): string {
  return createHash('sha256')
    .update(JSON.stringify({ ...QUESTION, ...bodyOf(content) }))
    .digest('hex')
}

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
