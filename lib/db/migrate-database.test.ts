import { describe, expect, test } from '@jest/globals'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { MIGRATIONS } from './migrations/migrations'
import { openDatabase } from './open-database'
import { describeOnBothDatabases, describeOnPostgres } from './testing'

const OPEN_TIMEOUT_MS = 60_000

describe('the list of migrations', () => {
  test('is numbered without gaps, in the order in which they run', () => {
    const numbers = MIGRATIONS.map(migration => Number(migration.name.slice(0, 4)))
    expect(numbers).toEqual(MIGRATIONS.map((_, index) => index + 1))
  })
})

describeOnBothDatabases('migrations', getDatabase => {
  const ask = async <Row>(sql: string) =>
    (await getDatabase().kysely.executeQuery<Row>(CompiledQuery.raw(sql))).rows

  test('are recorded, each once', async () => {
    const names = await getDatabase().kysely.selectFrom('schema_migration').select('name').execute()
    expect(names.map(row => row.name).sort()).toEqual(MIGRATIONS.map(migration => migration.name))
  })

  test('leave row level security on, without a policy, on every table', async () => {
    const open = await ask(
      `select relname from pg_class
        where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace and not relrowsecurity`,
    )
    expect(open).toEqual([])
    expect(await ask('select policyname from pg_policies')).toEqual([])
  })

  test('leave nothing that everybody may do with a table or a function', async () => {
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

  test('a database of a newer version is left alone', async () => {
    await getDatabase()
      .kysely.insertInto('schema_migration')
      .values({ name: '9999-from-the-future' })
      .execute()
    const { migrateDatabase } = await import('./migrate-database')
    await expect(migrateDatabase({ database: getDatabase(), directUrl: null })).rejects.toMatchObject({
      code: 'newer_schema',
      message: expect.stringContaining('9999-from-the-future'),
    })
  })
})

describeOnPostgres('migrations', (_getDatabase, getUrl) => {
  test(
    'run once when many servers start at the same time, and as roles of Supabase nobody reads or writes',
    async () => {
      const client = new pg.Client({ connectionString: getUrl() })
      await client.connect()
      try {
        for (const role of ['anon', 'authenticated']) {
          await client.query(`do $$ begin create role ${role}; exception when others then null; end $$`)
        }
        await client.query('drop schema public cascade')
        await client.query('create schema public')
        // What Supabase does to the schema.
        await client.query('grant usage on schema public to anon, authenticated')
        await client.query(
          'alter default privileges in schema public grant all on tables to anon, authenticated',
        )
        await client.query(
          'alter default privileges in schema public grant all on functions to anon, authenticated',
        )

        const servers = await Promise.all(
          Array.from({ length: 6 }, () =>
            openDatabase({ url: getUrl(), directUrl: getUrl(), dataDirectory: null }),
          ),
        )
        await Promise.all(servers.map(server => server.close()))
        const { rows } = await client.query('select name from schema_migration')
        expect(rows).toHaveLength(MIGRATIONS.length)

        const tables = await client.query<{ tablename: string }>(
          `select tablename from pg_tables where schemaname = 'public'`,
        )
        for (const role of ['anon', 'authenticated']) {
          await client.query(`set role ${role}`)
          for (const { tablename } of tables.rows) {
            await expect(client.query(`select * from ${tablename}`)).rejects.toThrow('permission denied')
            await expect(client.query(`delete from ${tablename}`)).rejects.toThrow('permission denied')
          }
          await expect(client.query(`select place_holds('[]')`)).rejects.toThrow('permission denied')
          await client.query('reset role')
        }
      } finally {
        await client.end()
      }
    },
    OPEN_TIMEOUT_MS,
  )
})
