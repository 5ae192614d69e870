import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, jest, test } from '@jest/globals'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { listenToLog } from '@/test/support/log-lines'
import { openDatabaseAt, unusable } from './open-database'
import { openPostgres } from './open-postgres'
import { isOutage } from './retry-lost-connection'
import { describeOnPostgres } from './testing'

describe('opening a database', () => {
  test('an unreachable server throws an error without ending the process', async () => {
    const url = 'postgres://nobody:secret@127.0.0.1:1/nothing'
    await expect(openDatabaseAt(url)).rejects.toMatchObject({
      name: 'DatabaseError',
      code: 'unreachable',
      message: 'The database at 127.0.0.1:1 does not answer (connect ECONNREFUSED 127.0.0.1:1).',
    })
  })

  test('a server that refuses is named with its reason, and not the password', async () => {
    const opened = openDatabaseAt('postgres://nobody:sec%ret@127.0.0.1:1/nothing?sslmode=require', {
      directUrl: 'postgres://nobody:secret@127.0.0.1:2/nothing',
    })
    await expect(opened).rejects.toThrow('The database at 127.0.0.1:1 or 127.0.0.1:2 ')
    await expect(opened).rejects.not.toThrow('sec')
  })
})

describe('a connection that is not encrypted', () => {
  async function warnings(urls: { url: string; directUrl?: string }) {
    const log = listenToLog()
    await openDatabaseAt(urls.url, urls).catch(() => {})
    const messages = log.messages()
    log.stop()
    return messages
  }
  // This machine, too, but that cannot be told from its name.
  const DISTANT = 'postgres://nobody:secret@0.0.0.0:1/nothing'

  test('is reported for each server beyond this machine and its private network', async () => {
    const directUrl = DISTANT.replace(':1/', ':2/')
    expect(await warnings({ url: DISTANT, directUrl })).toEqual([
      expect.stringMatching(/^the connection to 0\.0\.0\.0:1 is not encrypted: .*sslmode/),
      expect.stringMatching(/^the connection to 0\.0\.0\.0:2 is not encrypted/),
    ])
  })

  test.each([
    `${DISTANT}?sslmode=no-verify`,
    `${DISTANT}?sslmode=disable`,
    'postgres://nobody@127.0.0.1:1/nothing',
    'postgres://nobody@localhost:1/nothing',
    'postgres://nobody@[::1]:1/nothing',
  ])('is nobody’s surprise with %s', async url => {
    expect(await warnings({ url })).toEqual([])
  })
})

describe('the operator is told what to change', () => {
  const AT_POOLER = ['postgres://postgres.abc:secret@aws-0-eu-central-1.pooler.supabase.com:6543/postgres']
  const AT_SESSION_POOLER = [AT_POOLER[0]?.replace(':6543', ':5432') ?? '']
  const DIRECT = ['postgres://postgres:secret@db.abcdefghijklmnopqrst.supabase.co:5432/postgres']
  const answered = (message: string, code: string) =>
    Object.assign(new Error(message), { code, severity: 'FATAL' })
  const failed = (message: string, code: string) => Object.assign(new Error(message), { code })

  test.each([
    [AT_POOLER, answered('password authentication failed for user "postgres"', '28P01'), 'percent-encoded'],
    [AT_POOLER, answered('SASL authentication failed', '08P01'), 'percent-encoded'],
    // As Supabase's pooler says it now, and as it did before.
    [AT_POOLER, answered('(ENOTFOUND) tenant/user postgres.abc not found', 'XX000'), 'postgres.<project>'],
    [AT_POOLER, answered('Tenant or user not found', 'XX000'), 'One that is paused is not found either'],
    [
      AT_POOLER,
      answered('(ENOIDENTIFIER) no tenant identifier provided (external_id or …)', 'XX000'),
      'postgres.<project>',
    ],
    [
      AT_SESSION_POOLER,
      answered('(EMAXCONNSESSION) max clients reached in session mode - max clients are …: 15', 'XX000'),
      'the transaction pooler (port 6543) into DATABASE_URL',
    ],
    [
      AT_SESSION_POOLER,
      answered('MaxClientsInSessionMode: max clients reached - in Session mode max clients …', 'XX000'),
      'the transaction pooler (port 6543) into DATABASE_URL',
    ],
    [AT_POOLER, answered('(ESSLREQUIRED) SSL connection is required for user: postgres', 'XX000'), 'sslmode'],
    [AT_POOLER, answered('SSL required', '08P01'), 'sslmode'],
    [
      AT_POOLER,
      answered('(EADDRNOTALLOWED) address not in tenant allow_list: {192, 0, 2, 1}', 'XX000'),
      'Network Restrictions',
    ],
    [
      AT_POOLER,
      failed('self-signed certificate in certificate chain', 'SELF_SIGNED_CERT_IN_CHAIN'),
      'sslmode',
    ],
    [AT_POOLER, failed('unable to verify', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'sslmode'],
    [AT_POOLER, failed('Hostname does not match', 'ERR_TLS_CERT_ALTNAME_INVALID'), 'sslmode'],
    [AT_POOLER, new Error('The server does not support SSL connections'), 'sslmode'],
    [DIRECT, failed('connect ENETUNREACH 2a05::1:5432', 'ENETUNREACH'), 'session pooler'],
    [DIRECT, failed('getaddrinfo ENOTFOUND', 'ENOTFOUND'), 'session pooler'],
    [DIRECT, failed('connect EADDRNOTAVAIL 2a05::1:5432', 'EADDRNOTAVAIL'), 'session pooler'],
  ])('at %s: %s', (urls, cause, advice) => {
    const { message } = unusable(urls, cause)
    expect(message).toContain(`(${cause.message}). `)
    expect(message).toContain(advice)
    expect(message).not.toContain('secret')
  })

  test('and that a server which refuses did answer', () => {
    const { message } = unusable(AT_POOLER, answered('sorry, too many clients already', '53300'))
    expect(message).toMatch(
      /pooler\.supabase\.com:6543 cannot be used \(sorry, too many clients already\)\.$/,
    )
  })
})

describeOnPostgres('a database', (getDatabase, getUrl) => {
  test('that is not there is named with its server', async () => {
    const url = new URL(getUrl())
    url.pathname = '/nothing'
    await expect(openDatabaseAt(url.href)).rejects.toMatchObject({
      name: 'DatabaseError',
      message: `The database at ${url.host} cannot be used (database "nothing" does not exist).`,
    })
  })

  test('reads every int8 as a bigint, without changing the driver for the rest of the process', async () => {
    const { rows } = await getDatabase().kysely.executeQuery(
      CompiledQuery.raw(`select 1::bigint as small, 9223372036854775807::bigint as large, null::bigint as none,
        count(*) as count, 2::integer as plain from generate_series(1, 3)`),
    )
    expect(rows).toEqual([{ small: 1n, large: 9223372036854775807n, none: null, count: 3n, plain: 2 }])
    expect(pg.types.getTypeParser(pg.types.builtins.INT8)('1')).toBe('1')
  })

  test('uses the statement timeout that it was opened with', async () => {
    const sleep = CompiledQuery.raw('select pg_sleep(0.2)')
    const hasty = openPostgres({ url: getUrl(), queryTimeoutMs: 20 })
    const late = await hasty.kysely.executeQuery(sleep).catch(error => error)
    expect(late.message).toContain('timeout')
    expect(isOutage(late)).toBe(true)
    await hasty.close()
    await expect(getDatabase().kysely.executeQuery(sleep)).resolves.toMatchObject({ rows: [{}] })
  })

  test('does not reuse a connection after a statement timed out on it', async () => {
    const queryTimeoutMs = 12_345
    const one = openPostgres({ url: getUrl(), connectionCountMax: 1, queryTimeoutMs })
    const ask = (text: string) => one.kysely.executeQuery(CompiledQuery.raw(text))
    const timers = jest.spyOn(globalThis, 'setTimeout')
    const late = expect(ask('select pg_sleep(60)')).rejects.toThrow('timeout')
    const timeOut = () => timers.mock.calls.find(([, delayMs]) => delayMs === queryTimeoutMs)?.[0]
    while (!timeOut()) await nextTurn()
    timeOut()?.()
    timers.mockRestore()
    await late
    expect((await ask('select 1 as one')).rows).toEqual([{ one: 1 }])
    await one.close()
  })

  test('does not reuse a connection that only reads, as to a server that another has taken over from', async () => {
    const one = openPostgres({ url: getUrl(), connectionCountMax: 1 })
    const ask = (text: string) => one.kysely.executeQuery(CompiledQuery.raw(text))
    const write = 'update schema_migration set applied_at = applied_at'
    await ask('set session characteristics as transaction read only')
    await expect(ask(write)).rejects.toMatchObject({ code: '25006' })
    await ask(write)
    await one.close()
  })

  test('announces that its process has to stay awake until the connections that it leaves idle are closed', async () => {
    const url = new URL(getUrl())
    url.searchParams.set('application_name', 'awake')
    const announced: Promise<unknown>[] = []
    const open = async () => {
      const text = `select count(*) as count from pg_stat_activity where application_name = 'awake'`
      const { rows } = await getDatabase().kysely.executeQuery<{ count: bigint }>(CompiledQuery.raw(text))
      return rows[0]?.count
    }
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance', 'Date'] })
    const database = openPostgres({ url: url.href, keepAlive: work => announced.push(work) })
    const ask = () => database.kysely.executeQuery(CompiledQuery.raw('select pg_sleep(0.1)'))
    await Promise.all([ask(), ask(), ask()])
    expect(await open()).toBe(3n)
    // Those who were not the last need not stay.
    await Promise.all(announced.slice(0, -1))
    await Promise.all([jest.advanceTimersByTimeAsync(10_000), ...announced])
    jest.useRealTimers()
    while ((await open()) !== 0n);
    await database.close()
  })

  test('calls a function by a prepared statement, which follows a replaced function at once', async () => {
    const named = openPostgres({ url: getUrl(), connectionCountMax: 1, namesCalls: true })
    const run = (statement: string) => named.kysely.executeQuery(CompiledQuery.raw(statement))
    const replaceBy = (body: string) =>
      run(`create or replace function told(p_request jsonb) returns jsonb language sql as $$ ${body} $$`)
    await replaceBy('select p_request')
    expect(await named.call('told', [{ amount: '1' }])).toEqual([{ amount: '1' }])
    await replaceBy(`select p_request || '"more"'`)
    expect(await named.call('told', [{ amount: '2' }])).toEqual([{ amount: '2' }, 'more'])
    const { rows } = await run('select name from pg_prepared_statements')
    expect(rows).toEqual([{ name: 'told' }])
    await named.close()
  })

  test('leaves no prepared statement behind if there may be a pooler', async () => {
    const pooled = openPostgres({ url: getUrl(), connectionCountMax: 1 })
    expect(await pooled.call('jsonb_array_length', [])).toBe(0)
    const { rows } = await pooled.kysely.executeQuery(
      CompiledQuery.raw('select name from pg_prepared_statements'),
    )
    expect(rows).toEqual([])
    await pooled.close()
  })

  test('keeps transactions that were started in parallel separate', async () => {
    const { kysely } = getDatabase()
    const rename = (label: string) =>
      kysely.transaction().execute(async transaction => {
        await transaction.insertInto('schema_migration').values({ name: label }).execute()
        throw new Error(label)
      })
    const results = await Promise.allSettled([rename('a'), rename('b'), rename('c')])
    expect(results.map(result => result.status)).toEqual(['rejected', 'rejected', 'rejected'])
    const rows = await kysely
      .selectFrom('schema_migration')
      .select('name')
      .where('name', 'in', ['a', 'b', 'c'])
      .execute()
    expect(rows).toEqual([])
  })
})
