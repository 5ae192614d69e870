import { describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { isLostConnection, isOutage, retryLostConnection } from './retry-lost-connection'
import { describeOnPostgres } from './testing'

function coded(code: string): Error {
  return Object.assign(new Error(code), { code })
}

/** Throws each error in turn, and then succeeds. */
function failing(errors: readonly Error[]) {
  let count = 0
  return {
    statement: async () => {
      const error = errors[count]
      count += 1
      if (error) throw error
      return 'done'
    },
    attempts: () => count,
  }
}

describe('a statement whose connection was lost', () => {
  test.each(['23505', '23514', '42P01', '22P02'])(
    'is not repeated for %s, which is the database’s answer',
    async code => {
      const { statement, attempts } = failing([coded(code)])
      await expect(retryLostConnection(statement)).rejects.toThrow(code)
      expect(attempts()).toBe(1)
    },
  )

  test('is not repeated for an error of our own', async () => {
    const { statement, attempts } = failing([new TypeError('x is not a function')])
    await expect(retryLostConnection(statement)).rejects.toThrow('x is not')
    expect(attempts()).toBe(1)
  })

  test.each([
    '57P01',
    '08006',
    'ECONNRESET',
    '40P01',
    // PgBouncer's, a server with too many sessions, a name server that is away.
    '08P01',
    '53300',
    'EAI_AGAIN',
  ])('is repeated after %s', async code => {
    const { statement, attempts } = failing([coded(code), coded(code)])
    expect(await retryLostConnection(statement)).toBe('done')
    expect(attempts()).toBe(3)
  })

  test('is repeated after Supabase’s pooler has ended its session, not after a fault of the server', async () => {
    const sayBy = (severity: string) => Object.assign(coded('XX000'), { severity })
    expect(await retryLostConnection(failing([sayBy('FATAL')]).statement)).toBe('done')
    expect(isOutage(sayBy('FATAL'))).toBe(true)
    await expect(retryLostConnection(failing([sayBy('ERROR')]).statement)).rejects.toThrow('XX000')
  })

  test('is given up after the fourth attempt', async () => {
    const { statement, attempts } = failing(Array.from({ length: 9 }, () => coded('ECONNREFUSED')))
    await expect(retryLostConnection(statement)).rejects.toThrow('ECONNREFUSED')
    expect(attempts()).toBe(4)
  })

  test.each([
    ['not opened yet, as on Vercel', 'unreachable'],
    ['read-only', '25006'],
    ['out of disk', '53100'],
    ['too slow for its own statement timeout', '57014'],
  ])('is an outage, but not repeated, where the database is %s', async (_what, code) => {
    const { statement, attempts } = failing([coded(code)])
    await expect(retryLostConnection(statement)).rejects.toThrow(code)
    expect(attempts()).toBe(1)
    expect(isOutage(coded(code))).toBe(true)
  })

  test('is recognized by the driver’s message if there is no code', () => {
    expect(isLostConnection(new Error('Connection terminated unexpectedly'))).toBe(true)
    expect(isLostConnection('Connection terminated')).toBe(false)
  })
})

describeOnPostgres('a pool whose connections are all in use', (_getDatabase, getUrl) => {
  test('is an outage for a statement that gets none, which is not repeated', async () => {
    const pool = new pg.Pool({ connectionString: getUrl(), max: 1 })
    const taken = await pool.connect()
    pool.options.connectionTimeoutMillis = 1
    const { statement, attempts } = failing([await pool.connect().catch(error => error)])
    taken.release()
    await pool.end()
    expect(isOutage(await retryLostConnection(statement).catch(error => error))).toBe(true)
    expect(attempts()).toBe(1)
  })
})
