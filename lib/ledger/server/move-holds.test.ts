import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Credential } from '../domain/accounts'
import { createFundedAccount, EXCHANGE, hashOf, USAGE } from '../testing'
import { createEmbeddedLedger } from './embedded-ledger'

describeOnPostgres('a batch of calls in the database', (getDatabase, getUrl) => {
  let account: Awaited<ReturnType<typeof createFundedAccount>>
  let client: pg.Client
  beforeEach(async () => {
    account = await createFundedAccount(createEmbeddedLedger({ database: getDatabase() }), 1_000n)
    client = new pg.Client({ connectionString: getUrl() })
    await client.connect()
  })
  afterEach(() => client.end())

  const placing = (by: Credential) => ({
    hold_id: randomUUID(),
    credential_kind: by.kind,
    secret_hash: by.secretHash,
    ...{ amount_nano: '10', minimum_nano: '10', least_nano: '10', ttl_seconds: 60 },
    idempotency_key_hash: null,
    request_hash: hashOf('request'),
    ...{ query_type: 'chat', query_source: 'api', model_id: 'm', price_snapshot: EXCHANGE.priceSnapshot },
    key_routing: null,
  })
  const settling = (holdId: string) => ({ hold_id: holdId, state: 'settled', cost_nano: '4', usage: USAGE })
  const move = (requests: readonly object[]) =>
    client.query('select move_holds($1)', [JSON.stringify(requests)])

  test('finds its own holds by their ids, however many others have been opened since its plan was made', async () => {
    await client.query('vacuum analyze hold')
    const round = async () => {
      const placed = [placing(account.credential), placing(account.credential)]
      await move(placed)
      await move(placed.map(({ hold_id }) => settling(hold_id)))
    }
    // PostgreSQL plans the first five anew.
    for (let count = 0; count < 8; count += 1) await round()
    await client.query('begin')
    await client.query(`insert into hold
        (id, account_id, amount_nano, request_hash, query_type, query_source, model_id, price_snapshot, expires_at)
      select gen_random_uuid(), gen_random_uuid(), 0, repeat('0', 64), 'chat', 'api', 'm', '{}', now()
      from generate_series(1, 3000)`)
    await round()
    const { rows } = await client.query(
      `select idx_tup_fetch + seq_tup_read as read from pg_stat_xact_user_tables where relname = 'hold'`,
    )
    await client.query('rollback')
    expect(Number(rows[0].read)).toBeLessThan(100)
  })
})
