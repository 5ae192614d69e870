import { createHash, randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { isMigrated, migrateDatabase } from './migrate-database'
import { FUNCTIONS, FUNCTIONS_VERSION } from './migrations/functions'
import { MIGRATIONS } from './migrations/migrations'
import { openDatabaseAt } from './open-database'
import { openPostgres } from './open-postgres'
import { describeOnPostgres } from './testing'

const OPEN_TIMEOUT_MS = 60_000

describe('the list of migrations', () => {
  test('is numbered without gaps, in the order of execution', () => {
    const numbers = MIGRATIONS.map(migration => Number(migration.name.slice(0, 4)))
    expect(numbers).toEqual(MIGRATIONS.map((_, index) => index + 1))
  })
})

test('changed functions have a new FUNCTIONS_VERSION: otherwise older servers would restore theirs', () => {
  const texts = createHash('sha256').update(JSON.stringify(FUNCTIONS)).digest('hex')
  expect([FUNCTIONS_VERSION, texts]).toEqual([
    6,
    '6faf2524d409c3aafb355215f6ad8e2a00f68f0c51b340ae6afbbfe6b9a3f771',
  ])
})

describeOnPostgres('migrations', (getDatabase, getUrl) => {
  const ask = async <Row>(sql: string) =>
    (await getDatabase().kysely.executeQuery<Row>(CompiledQuery.raw(sql))).rows

  test('are each recorded once', async () => {
    const names = await getDatabase().kysely.selectFrom('schema_migration').select('name').execute()
    expect(names.map(row => row.name).sort()).toEqual(MIGRATIONS.map(migration => migration.name))
  })

  test('do not change a database that has all of them', async () => {
    const applied = () => ask<{ name: string; xmin: string }>('select name, xmin from schema_function')
    const before = await applied()
    expect(before.map(({ name }) => name).sort()).toEqual(FUNCTIONS.map(({ name }) => name).sort())
    await migrateDatabase({ database: getDatabase(), directUrl: getUrl() })
    expect(await applied()).toEqual(before)
  })

  test('restore a function whose recorded hash differs, without the right to execute it for PUBLIC', async () => {
    const stub = `create or replace function move_holds(p_requests jsonb) returns jsonb language sql as 'select p_requests'`
    await ask(stub)
    await ask('grant execute on function move_holds to public')
    await ask(`update schema_function set text_hash = repeat('0', 64) where name = 'move_holds'`)
    await migrateDatabase({ database: getDatabase(), directUrl: getUrl() })
    expect(await ask(`select move_holds('[]') as held`)).toEqual([{ held: [] }])
    const source = await ask(
      `select prosrc like '%take_hold(%' as restored from pg_proc where proname = 'move_holds'`,
    )
    expect(source).toEqual([{ restored: true }])
  })

  test('keep a function of a newer version, and add a missing one', async () => {
    const source = (name: string) =>
      ask<{ prosrc: string }>(`select prosrc from pg_proc where proname = '${name}'`)
    const [mine] = await source('move_holds')
    const theirs = (mine?.prosrc ?? '').replace('begin', 'begin -- newer')
    await ask(`create or replace function move_holds(p_requests jsonb) returns jsonb language plpgsql
      set search_path from current as $newer$${theirs}$newer$`)
    await ask(
      `update schema_function set text_hash = repeat('0', 64), version = version + 1 where name = 'move_holds'`,
    )
    await ask(`update schema_function set text_hash = repeat('0', 64) where name = 'take_hold'`)
    await ask('drop function keep_usage_month cascade')
    await ask(`delete from schema_function where name = 'keep_usage_month'`)
    expect(await isMigrated(getDatabase().kysely)).toBe(false)
    await migrateDatabase({ database: getDatabase(), directUrl: getUrl() })
    expect(await isMigrated(getDatabase().kysely)).toBe(true)
    expect(await source('move_holds')).toEqual([{ prosrc: theirs }])
    expect(await source('keep_usage_month')).toHaveLength(1)
    await ask('update schema_function set version = version - 1')
    expect(await isMigrated(getDatabase().kysely)).toBe(false)
    await migrateDatabase({ database: getDatabase(), directUrl: getUrl() })
    expect(await source('move_holds')).toEqual([mine])
  })

  test('are not said to be applied where nothing can be written, as with a full disk at Supabase', async () => {
    const url = new URL(getUrl())
    url.searchParams.set('options', '-c default_transaction_read_only=on')
    const { kysely, close } = openPostgres({ url: url.href })
    await expect(isMigrated(kysely)).rejects.toMatchObject({ code: 'read_only' })
    await close()
  })

  test('enable row level security, without policies, on every table', async () => {
    const open = await ask(
      `select relname from pg_class
        where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace and not relrowsecurity`,
    )
    expect(open).toEqual([])
    expect(await ask('select policyname from pg_policies')).toEqual([])
  })

  test('grant PUBLIC nothing on any table or function', async () => {
    const grants = await ask(
      `select table_name from information_schema.role_table_grants
        where grantee = 'PUBLIC' and table_schema = current_schema()`,
    )
    expect(grants).toEqual([])
    const functions = await ask(
      `select proname from pg_proc
        where pronamespace = current_schema()::regnamespace and prorettype <> 'trigger'::regtype
          and (proacl is null or proacl::text ~ '[{,]=X')`,
    )
    expect(functions).toEqual([])
  })

  test('refuse a direct connection to another database, instead of failing at a table that is not there', async () => {
    const elsewhere = new URL(getUrl())
    elsewhere.searchParams.set('options', '-csearch_path=elsewhere')
    await expect(openDatabaseAt(elsewhere.href, { directUrl: getUrl() })).rejects.toMatchObject({
      code: 'other_database',
      message: expect.stringContaining('DATABASE_URL and DATABASE_DIRECT_URL'),
    })
  })

  test('refuse a database of a newer version', async () => {
    await getDatabase()
      .kysely.insertInto('schema_migration')
      .values({ name: '9999-from-the-future' })
      .execute()
    await expect(migrateDatabase({ database: getDatabase(), directUrl: getUrl() })).rejects.toMatchObject({
      code: 'newer_schema',
      message: expect.stringContaining('9999-from-the-future'),
    })
    // A server that was running before may go on.
    expect(await isMigrated(getDatabase().kysely)).toBe(true)
  })
})

describeOnPostgres('a database from before the first release', (getDatabase, getUrl) => {
  test('is refused with instructions', async () => {
    await getDatabase().kysely.deleteFrom('schema_migration').execute()
    await getDatabase().kysely.insertInto('schema_migration').values({ name: '0001-initial' }).execute()
    await expect(migrateDatabase({ database: getDatabase(), directUrl: getUrl() })).rejects.toMatchObject({
      code: 'older_schema',
      message: expect.stringContaining('another DATABASE_URL, or another DATA_DIR'),
    })
  })
})

describeOnPostgres('migrations', (getDatabase, getUrl) => {
  /** A session of the previous version, in a schema as it was before a certain migration. */
  async function openBefore(migration: (typeof MIGRATIONS)[number]['name']): Promise<pg.Client> {
    const call = new pg.Client({ connectionString: getUrl() })
    await call.connect()
    await call.query('drop schema public cascade')
    await call.query('create schema public')
    const before = MIGRATIONS.slice(
      0,
      MIGRATIONS.findIndex(({ name }) => name === migration),
    )
    for (const { statements } of before) for (const statement of statements) await call.query(statement)
    const names = before.map(({ name }) => name)
    await call.query('insert into schema_migration (name) select unnest($1::text[])', [names])
    return call
  }

  test(
    'lose no charge that another version writes concurrently',
    async () => {
      const call = await openBefore('0006-growth')
      const gate = new pg.Client({ connectionString: getUrl() })
      await gate.connect()
      try {
        const accountId = randomUUID()
        await call.query(`insert into account (id, kind, balance_nano) values ($1, 'credit', 100)`, [
          accountId,
        ])
        await call.query(
          `insert into hold (id, account_id, amount_nano, request_hash, query_type, query_source, model_id,
            price_snapshot, expires_at)
            values ($1, $1, 9, repeat('0', 64), 'chat', 'api', 'm', '{}', now())`,
          [accountId],
        )
        await call.query(`create function settle_as_before(p_id uuid) returns void language plpgsql as $$
          declare v_now timestamptz := clock_timestamp();
          begin
            perform from hold where id = p_id;
            update hold set state = 'settled', charged_nano = 7, loss_nano = 0, usage = '{}', resolved_at = v_now
              where id = p_id;
            update account set balance_nano = balance_nano - 7 where id = p_id;
          end $$`)
        await gate.query('begin')
        await gate.query('lock table schema_function in share mode')
        const migrating = migrateDatabase({ database: getDatabase(), directUrl: getUrl() })
        const waitsFor = async (relation: string) => {
          const waiting = 'select from pg_locks where not granted and relation = $1::regclass'
          while ((await gate.query(waiting, [relation])).rowCount === 0);
        }
        await waitsFor('schema_function')
        const settling = call.query('select settle_as_before($1)', [accountId])
        await waitsFor('hold')
        await gate.query('commit')
        await Promise.all([settling, migrating])
        const { rows } = await call.query('select charged_nano from account where id = $1', [accountId])
        expect(rows).toEqual([{ charged_nano: '7' }])
      } finally {
        await call.end()
        await gate.end()
      }
    },
    OPEN_TIMEOUT_MS,
  )

  /** An account with two losses of today, and one of yesterday. */
  async function lose(call: pg.Client): Promise<string> {
    const accountId = randomUUID()
    await call.query(
      `insert into account (id, kind, risk_day) values ($1, 'credit', (now() at time zone 'UTC')::date)`,
      [accountId],
    )
    await call.query(
      `insert into hold (id, account_id, amount_nano, request_hash, query_type, query_source, model_id,
        price_snapshot, expires_at, created_at, state, charged_nano, loss_nano, usage, resolved_at)
        select gen_random_uuid(), $1, 9, repeat('0', 64), 'chat', 'api', 'm', '{}', now(),
          (now() at time zone 'UTC')::date::timestamp at time zone 'UTC' - make_interval(days => days), 'released', 0, lost, '{}', now()
        from (values (0, 5), (0, 2), (1, 100)) as calls (days, lost)`,
      [accountId],
    )
    return accountId
  }
  const lostBy = async (call: pg.Client, accountId: string) =>
    (await call.query('select lost_nano from account where id = $1', [accountId])).rows[0]?.lost_nano

  test(
    'compute the losses of each account’s current day',
    async () => {
      const call = await openBefore('0008-lost')
      try {
        const [loser, other] = [await lose(call), randomUUID()]
        await call.query(`insert into account (id, kind) values ($1, 'credit')`, [other])
        await migrateDatabase({ database: getDatabase(), directUrl: getUrl() })
        expect([await lostBy(call, loser), await lostBy(call, other)]).toEqual(['7', '0'])
      } finally {
        await call.end()
      }
    },
    OPEN_TIMEOUT_MS,
  )

  test(
    'are finished by the next start if one ends after the commit',
    async () => {
      const call = await openBefore('0008-lost')
      try {
        const loser = await lose(call)
        const impatient = new URL(getUrl())
        impatient.searchParams.set('options', '-c lock_timeout=10ms')
        await call.query('begin')
        await call.query('select from hold')
        const interrupted = migrateDatabase({ database: getDatabase(), directUrl: impatient.href })
        await expect(interrupted).rejects.toThrow('lock timeout')
        await call.query('commit')
        expect([await isMigrated(getDatabase().kysely), await lostBy(call, loser)]).toEqual([true, '0'])
        await migrateDatabase({ database: getDatabase(), directUrl: getUrl() })
        expect(await lostBy(call, loser)).toBe('7')
        const { rows } = await call.query('select name from schema_migration where is_unfinished')
        expect(rows).toEqual([])
      } finally {
        await call.end()
      }
    },
    OPEN_TIMEOUT_MS,
  )

  test(
    'take the names from keys that nobody has named',
    async () => {
      const call = await openBefore('0011-unnamed-keys')
      try {
        const accountId = randomUUID()
        await call.query(`insert into account (id, kind) values ($1, 'credit')`, [accountId])
        await call.query(
          `insert into api_key (account_id, secret_hash, hint, label, reset_period, usage_period_start)
            select $1, encode(sha256(label::bytea), 'hex'), 'abcd', label, 'none', now()
            from unnest(array['First key', 'API key', 'Editor']) as label`,
          [accountId],
        )
        await migrateDatabase({ database: getDatabase(), directUrl: getUrl() })
        const { rows } = await call.query('select label from api_key order by label')
        expect(rows).toEqual([{ label: '' }, { label: '' }, { label: 'Editor' }])
      } finally {
        await call.end()
      }
    },
    OPEN_TIMEOUT_MS,
  )

  test(
    'remember which credits had been left for others',
    async () => {
      const call = await openBefore('0013-leaving')
      try {
        const [earlier, later, kept] = [randomUUID(), randomUUID(), randomUUID()]
        await call.query(
          `insert into account (id, kind, left_for_id, left_at)
            values ($1, 'credit', $3, to_timestamp(2)), ($2, 'credit', $1, to_timestamp(1)), ($3, 'credit', null, null)`,
          [later, earlier, kept],
        )
        await migrateDatabase({ database: getDatabase(), directUrl: getUrl() })
        const { rows } = await call.query(
          'select leads_to($1, to_timestamp(1)) as before, leads_to($1, to_timestamp(1.5)) as after',
          [earlier],
        )
        expect(rows).toEqual([{ before: kept, after: earlier }])
      } finally {
        await call.end()
      }
    },
    OPEN_TIMEOUT_MS,
  )

  test(
    'leave a payment that two invoices have to the older one, and totals to each',
    async () => {
      const call = await openBefore('0014-payment-once')
      try {
        const [accountId, older, newer] = [randomUUID(), randomUUID(), randomUUID()]
        await call.query(`insert into account (id, kind) values ($1, 'credit')`, [accountId])
        // Without the checks of names, which are functions.
        await call.query(`alter table invoice drop constraint invoice_gateway_check, drop constraint
          invoice_method_check, drop constraint invoice_requested_currency_check`)
        await call.query(
          `insert into invoice (id, account_id, gateway, gateway_invoice_id, method, requested_amount,
            requested_currency, amount_nano, maximum_nano, created_at, expires_at)
            select id, $1, 'btcpay', id, 'btc', '1', 'USD', 1, 1, to_timestamp(at), now()
            from (values ($2::uuid, 1), ($3::uuid, 2)) invoices (id, at)`,
          [accountId, older, newer],
        )
        await call.query(
          `insert into invoice_payment (invoice_id, payment_id, bitcoin, in_time, at_invoice_rate_nano)
            select invoice_id, payment_id, '1', true, 1
            from unnest($1::uuid[]) invoice_id, unnest(array['same', 'total']) payment_id`,
          [[older, newer]],
        )
        await migrateDatabase({ database: getDatabase(), directUrl: getUrl() })
        const { rows } = await call.query(
          'select invoice_id, payment_id from invoice_payment where gateway is not null',
        )
        expect(rows).toEqual([{ invoice_id: older, payment_id: 'same' }])
      } finally {
        await call.end()
      }
    },
    OPEN_TIMEOUT_MS,
  )

  test(
    'take as long as they need, whatever the statement timeout of the provider',
    async () => {
      const call = await openBefore('0006-growth')
      const url = new URL(getUrl())
      url.searchParams.set('options', '-c statement_timeout=1s')
      try {
        await call.query('begin')
        await call.query('select from hold')
        const migrating = migrateDatabase({ database: getDatabase(), directUrl: url.href })
        await call.query('select pg_sleep(2)')
        await call.query('commit')
        await expect(migrating).resolves.toBeUndefined()
      } finally {
        await call.end()
      }
    },
    OPEN_TIMEOUT_MS,
  )

  test(
    'are repeated after a deadlock with a call of another version',
    async () => {
      const call = await openBefore('0006-growth')
      try {
        // After this time a session checks for a deadlock; the migration should be the first to do so.
        await call.query(`set deadlock_timeout = '20s'`)
        await call.query('begin')
        await call.query('select from hold')
        const migrating = migrateDatabase({ database: getDatabase(), directUrl: getUrl() })
        const waiting = `select from pg_locks where not granted and relation = 'hold'::regclass`
        while ((await call.query(waiting)).rowCount === 0);
        await call.query('select from account for update')
        await call.query('commit')
        await expect(migrating).resolves.toBeUndefined()
      } finally {
        await call.end()
      }
      expect(await isMigrated(getDatabase().kysely)).toBe(true)
    },
    OPEN_TIMEOUT_MS,
  )

  test(
    'run once when many servers start in parallel, and give Supabase’s roles no access',
    async () => {
      const client = new pg.Client({ connectionString: getUrl() })
      await client.connect()
      try {
        for (const role of ['anon', 'authenticated']) {
          await client.query(`do $$ begin create role ${role}; exception when others then null; end $$`)
        }
        await client.query('drop schema public cascade')
        await client.query('create schema public')
        // Supabase’s default grants.
        await client.query('grant usage on schema public to anon, authenticated')
        await client.query(
          'alter default privileges in schema public grant all on tables to anon, authenticated',
        )
        for (const objects of ['sequences', 'functions']) {
          await client.query(
            `alter default privileges in schema public grant all on ${objects} to anon, authenticated`,
          )
        }

        const servers = await Promise.all(
          Array.from({ length: 6 }, () => openDatabaseAt(getUrl(), { directUrl: getUrl() })),
        )
        await Promise.all(servers.map(server => server.close()))
        const { rows } = await client.query('select name from schema_migration')
        expect(rows).toHaveLength(MIGRATIONS.length)

        const tables = await client.query<{ tablename: string }>(
          `select tablename from pg_tables where schemaname = 'public'`,
        )
        const sequences = await client.query<{ sequencename: string }>(
          `select sequencename from pg_sequences where schemaname = 'public'`,
        )
        expect(sequences.rows).not.toEqual([])
        for (const role of ['anon', 'authenticated']) {
          await client.query(`set role ${role}`)
          for (const { tablename } of tables.rows) {
            await expect(client.query(`select * from ${tablename}`)).rejects.toThrow('permission denied')
            await expect(client.query(`delete from ${tablename}`)).rejects.toThrow('permission denied')
          }
          for (const { sequencename } of sequences.rows)
            await expect(client.query(`select nextval('${sequencename}')`)).rejects.toThrow(
              'permission denied',
            )
          await expect(client.query(`select move_holds('[]')`)).rejects.toThrow('permission denied')
          await client.query('reset role')
        }
      } finally {
        await client.end()
      }
    },
    OPEN_TIMEOUT_MS,
  )
})
