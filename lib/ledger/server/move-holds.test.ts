import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Credential } from '../domain/accounts'
import type { Ledger } from '../domain/ledger'
import { createFundedAccount, EXCHANGE, hashOf, USAGE } from '../testing'
import { checkLedger } from './check-ledger'
import { createEmbeddedLedger } from './embedded-ledger'

describeOnPostgres('a batch of calls in the database', (getDatabase, getUrl) => {
  let ledger: Ledger
  let account: Awaited<ReturnType<typeof createFundedAccount>>
  let client: pg.Client
  beforeEach(async () => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
    account = await createFundedAccount(ledger, 1_000n)
    client = new pg.Client({ connectionString: getUrl() })
    await client.connect()
  })
  afterEach(() => client.end())

  const placing = (by: Credential, idempotencyKey: string = randomUUID()) => ({
    hold_id: randomUUID(),
    credential_kind: by.kind,
    secret_hash: by.secretHash,
    ...{ amount_nano: '10', minimum_nano: '10', least_nano: '10', ttl_seconds: 60 },
    idempotency_key_hash: hashOf(idempotencyKey),
    request_hash: hashOf('request'),
    ...{ query_type: 'chat', query_source: 'api', model_id: 'm', price_snapshot: EXCHANGE.priceSnapshot },
    key_routing: null,
  })
  const settling = (holdId: string) => ({ hold_id: holdId, state: 'settled', cost_nano: '4', usage: USAGE })
  const move = async (requests: readonly object[]): Promise<{ outcome: string; hold_id?: string }[]> => {
    const { rows } = await client.query('select move_holds($1) as answers', [JSON.stringify(requests)])
    return rows[0].answers
  }

  test('runs each call once, and answers a repeated one after the first, without harm to other calls', async () => {
    const open = placing(account.credential)
    await move([open])
    const other = await createFundedAccount(ledger, 10n)
    const answers = await move([
      settling(open.hold_id),
      placing(account.credential, 'twice'),
      settling(open.hold_id.toUpperCase()),
      placing(other.credential),
      ...Array.from({ length: 27 }, () => placing(account.credential, 'twice')),
      settling(open.hold_id),
    ])
    const outcomes = ['resolved', 'held', 'already_resolved', 'held', ...Array(27).fill('duplicate')]
    expect(answers.map(({ outcome }) => outcome)).toEqual([...outcomes, 'already_resolved'])
    expect(await ledger.getBalance(account)).toMatchObject({ balanceNano: 996n, heldNano: 10n })
    expect((await checkLedger({ database: getDatabase() })).differences).toEqual([])
  })

  test('places one hold where two calls of it have one idempotency key', async () => {
    const twice = ['same', 'same', 'other'].map(key => placing(account.credential, key))
    const answers = await move(twice)
    expect(answers.map(({ outcome }) => outcome)).toEqual(['held', 'duplicate', 'held'])
    expect(answers[1]?.hold_id).toBe(twice[0]?.hold_id)
  })

  test('finds its holds by index, however many holds were opened since its plan was cached', async () => {
    await client.query('vacuum analyze hold')
    const round = async () => {
      const placed = [placing(account.credential), placing(account.credential)]
      await move(placed)
      await move(placed.map(({ hold_id }) => settling(hold_id)))
    }
    // PostgreSQL makes a new plan for each of the first five calls.
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
