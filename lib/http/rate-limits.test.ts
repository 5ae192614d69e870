import { beforeEach, describe, expect, test } from '@jest/globals'
import { CompiledQuery } from 'kysely'
import type { Database } from '@/lib/db/database'
import { describeOnPostgres } from '@/lib/db/testing'
import { ApiError } from './api-error'
import { createRateLimits, type RateLimitName, type RateLimits } from './rate-limits'

const NAMES: RateLimitName[] = ['account_creation', 'invoice_creation', 'free_answer', 'unknown_credential']
const HOUR_SECONDS = 3600
/** Of their own, so that these tests say nothing about how much this site allows. */
const TESTED_LIMITS = {
  account_creation: { perAddress: 20, global: 2_000, windowSeconds: HOUR_SECONDS },
  invoice_creation: { perAddress: 30, global: 2_000, windowSeconds: HOUR_SECONDS },
  free_answer: { perAddress: 60, perAccount: 20, global: 3_000, windowSeconds: 600 },
}

/** Seconds that a refused use has to wait; 0 for one that was allowed. */
async function waitOf(taking: Promise<void>): Promise<number> {
  try {
    await taking
    return 0
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'rate_limited') throw error
    return Number(error.headers['retry-after'])
  }
}

/** How many uses of an account creation are refilled meanwhile; the database's clock goes on while a test runs. */
const inUses = (seconds: number) => Math.ceil(seconds / (HOUR_SECONDS / 20))
const from = (address: string) => new Headers({ 'x-client-address': address })
/** Addresses in networks of their own, so that they share only the global limit. */
const address = (index: number) => `10.${index >> 8}.${index & 255}.1`

describeOnPostgres('rate limits', getDatabase => {
  let limits: RateLimits
  /** The process’s own clock, by which it caches refusals. */
  let nowMs: number

  beforeEach(async () => {
    nowMs = 0
    limits = create(getDatabase())
    await run('delete from rate_limit')
  })

  const run = (text: string, values: unknown[] = []) =>
    getDatabase().kysely.executeQuery(CompiledQuery.raw(text, values))
  const create = (database: Database, more: { factor?: number } = {}) =>
    createRateLimits({
      query: (text, values) => database.kysely.executeQuery(CompiledQuery.raw(text, values)),
      onVercel: false,
      limits: TESTED_LIMITS,
      now: () => nowMs,
      ...more,
    })
  const rowCount = async () => (await run('select key from rate_limit')).rows.length
  /** Clears the cache of refusals. */
  const forget = () => {
    nowMs += 10_000
  }
  /** Lets time pass in the database. */
  const wait = async (seconds: number) => {
    await run('update rate_limit set expire = expire - $1::bigint', [seconds * 1_000_000])
    forget()
  }

  /** How many of this many uses are allowed. */
  async function takeMany(count: number, name: RateLimitName, headers: Headers, accountId?: string) {
    let allowedCount = 0
    for (let index = 0; index < count; index += 1) {
      forget()
      if ((await waitOf(limits.take(name, headers, accountId))) === 0) allowedCount += 1
    }
    return allowedCount
  }

  /** Enough addresses to use up the global limit, and more. */
  async function flood(name: RateLimitName, addressCount: number, usesPerAddress: number): Promise<number> {
    const allowed = Array.from({ length: addressCount }, (_, index) =>
      takeMany(usesPerAddress, name, from(address(index))),
    )
    return (await Promise.all(allowed)).reduce((sum, count) => sum + count, 0)
  }

  describe('of one address', () => {
    test('can be used up at once or gradually, and refill gradually', async () => {
      expect(await takeMany(21, 'account_creation', from('192.0.2.1'))).toBe(20)
      expect(await takeMany(5, 'account_creation', from('192.0.2.2'))).toBe(5)
      await wait(2 * (HOUR_SECONDS / 20))
      expect(await takeMany(2, 'account_creation', from('192.0.2.1'))).toBe(1)
      expect(await takeMany(20, 'account_creation', from('192.0.2.2'))).toBe(17)
    })

    test('are not saved up by an address that stays away', async () => {
      await takeMany(1, 'account_creation', from('192.0.2.1'))
      await wait(10 * HOUR_SECONDS)
      // Without the cached clock moving on: the row is not swept meanwhile.
      limits = create(getDatabase())
      const waits: number[] = []
      for (let count = 0; count < 21; count += 1)
        waits.push(await waitOf(limits.take('account_creation', from('192.0.2.1'))))
      expect(waits.filter(seconds => seconds === 0)).toHaveLength(20)
    })

    test('refuse for longer with every further attempt, up to one window', async () => {
      await takeMany(20, 'account_creation', from('192.0.2.1'))
      const waits: number[] = []
      for (let count = 0; count < 30; count += 1) {
        forget()
        waits.push(await waitOf(limits.take('account_creation', from('192.0.2.1'))))
      }
      expect(waits.slice(0, 3).map(inUses)).toEqual([1, 2, 3])
      expect(waits.at(-1)).toBe(HOUR_SECONDS)
      await wait(HOUR_SECONDS)
      expect(inUses(await waitOf(limits.take('account_creation', from('192.0.2.1'))))).toBe(1)
    })

    test('are shared by parallel processes through the database', async () => {
      const processes = [limits, create(getDatabase()), create(getDatabase())]
      const waits = await Promise.all(
        Array.from({ length: 64 }, (_, index) =>
          waitOf((processes[index % 3] ?? limits).take('account_creation', from('192.0.2.1'))),
        ),
      )
      expect(waits.filter(seconds => seconds === 0)).toHaveLength(20)
    })

    test('are cached for a moment after a refusal, instead of asking the database', async () => {
      await takeMany(20, 'account_creation', from('192.0.2.1'))
      const told = await waitOf(limits.take('account_creation', from('192.0.2.1')))
      expect(inUses(told)).toBe(1)
      await run('delete from rate_limit')
      expect(await waitOf(limits.take('account_creation', from('192.0.2.1')))).toBe(told)
      nowMs += 1_000
      expect(await waitOf(limits.take('account_creation', from('192.0.2.1')))).toBe(told - 1)
      nowMs += 1_000
      expect(await waitOf(limits.take('account_creation', from('192.0.2.1')))).toBe(0)
    })

    test('are multiplied by the factor for test sites', async () => {
      limits = create(getDatabase(), { factor: 1_000 })
      expect(await takeMany(300, 'account_creation', from('192.0.2.1'))).toBe(300)
    })

    test('do not store it in the database in plain text', async () => {
      await limits.take('account_creation', from('192.0.2.1'))
      const { rows } = await run('select * from rate_limit')
      expect(rows).toHaveLength(3)
      expect(JSON.stringify(rows.map(row => Object.values(row as object).map(String)))).not.toContain(
        '192.0.2',
      )
    })
  })

  describe('of neighbours', () => {
    test('all IPv6 addresses of a /64 count as one', async () => {
      expect(await takeMany(15, 'account_creation', from('2001:db8:1:1::1'))).toBe(15)
      expect(await takeMany(15, 'account_creation', from('2001:db8:1:1:ffff::2'))).toBe(5)
    })

    test('all /64 of a /48 together have the limit of five addresses', async () => {
      let allowedCount = 0
      for (let index = 0; index < 150; index += 1) {
        allowedCount += await takeMany(1, 'account_creation', from(`2001:db8:1:${index.toString(16)}::1`))
      }
      expect(allowedCount).toBe(100)
      expect(await takeMany(1, 'account_creation', from('2001:db8:2:1::1'))).toBe(1)
    })

    test('a busy /24 slows its addresses down, but shuts none out', async () => {
      for (let index = 0; index < 6; index += 1)
        await takeMany(20, 'account_creation', from(`192.0.2.${index}`))
      expect(await takeMany(20, 'account_creation', from('192.0.2.77'))).toBe(3)
      expect(await takeMany(20, 'account_creation', from('192.0.3.77'))).toBe(20)
    })

    test('an IPv4 address and its IPv6-mapped form count as one', async () => {
      expect(await takeMany(15, 'account_creation', from('192.0.2.1'))).toBe(15)
      expect(await takeMany(15, 'account_creation', from('::ffff:192.0.2.1'))).toBe(5)
    })
  })

  test('during a flood from over a hundred addresses, new addresses are still allowed', async () => {
    const allowedCount = await flood('account_creation', 105, 21)
    // The global limit, plus a newcomer’s allowance for those who came later.
    expect(allowedCount).toBeLessThanOrEqual(2_000 + 105 * 3)
    for (let index = 0; index < 5; index += 1) {
      const newcomer = from(`2001:db8:${index}::1`)
      expect(await takeMany(3, 'account_creation', newcomer)).toBe(3)
      // A newcomer that exceeds its allowance waits for much less than an hour.
      forget()
      expect(await waitOf(limits.take('account_creation', newcomer))).toBeLessThanOrEqual(HOUR_SECONDS / 5)
    }
    // Busy addresses wait longer, but are not shut out either.
    forget()
    const busy = await waitOf(limits.take('account_creation', from(address(0))))
    expect(busy).toBeGreaterThan(HOUR_SECONDS / 5)
    await wait(busy + HOUR_SECONDS / 5)
    expect(await takeMany(1, 'account_creation', from(address(0)))).toBe(1)
    await wait(2 * HOUR_SECONDS)
    expect(await takeMany(20, 'account_creation', from(address(1)))).toBe(20)
  })

  test('one address that never stops does not slow others down', async () => {
    await takeMany(200, 'account_creation', from('192.0.2.1'))
    expect(await takeMany(20, 'account_creation', from('192.0.2.2'))).toBe(20)
  })

  test('while the global limit is exceeded, busy addresses still share its refill', async () => {
    const addresses = Array.from({ length: 12 }, (_, index) => from(address(index)))
    for (const busy of addresses) await takeMany(13, 'account_creation', busy)
    await run(
      `update rate_limit set expire = (extract(epoch from clock_timestamp()) * 1000000)::bigint + $1::bigint
       where key like '%/all/%'`,
      // Two uses above the global limit.
      [HOUR_SECONDS * 1_002 * 1_000],
    )
    let allowedCount = 0
    for (const busy of addresses) {
      // Until the global limit allows one more use.
      await wait(HOUR_SECONDS / 2_000)
      allowedCount += await takeMany(1, 'account_creation', busy)
    }
    expect(allowedCount).toBeGreaterThanOrEqual(3)
    expect(allowedCount).toBeLessThanOrEqual(12)
  })

  test('free answers are limited per account, from any address', async () => {
    let allowedCount = 0
    for (let index = 0; index < 30; index += 1) {
      allowedCount += await takeMany(1, 'free_answer', from(address(index)), 'an account')
    }
    expect(allowedCount).toBe(20)
    expect(await takeMany(1, 'free_answer', from(address(0)), 'another account')).toBe(1)
  })

  test('free answers are limited per address, for any account', async () => {
    let allowedCount = 0
    for (let index = 0; index < 80; index += 1) {
      allowedCount += await takeMany(1, 'free_answer', from('192.0.2.1'), `account ${index}`)
    }
    expect(allowedCount).toBe(60)
  })

  test('each kind of use is counted separately', async () => {
    await takeMany(25, 'account_creation', from('192.0.2.1'))
    for (const name of NAMES.slice(1)) expect(await takeMany(1, name, from('192.0.2.1'))).toBe(1)
  })

  test('expired rows are deleted, and others are kept', async () => {
    // Their rows last for 24 seconds and more of the database's clock, so that a slow machine gets to count them.
    await flood('invoice_creation', 40, 1)
    await takeMany(20, 'account_creation', from('192.0.2.1'))
    expect(await rowCount()).toBeGreaterThan(80)
    await wait(150)
    nowMs += 60_000
    await limits.take('balance_look_up', from('192.0.2.2'))
    expect(await rowCount()).toBeLessThanOrEqual(6)
    forget()
    expect(await takeMany(2, 'account_creation', from('192.0.2.1'))).toBe(0)
  })

  test('expired rows are looked for once a minute', async () => {
    const takeAfter = async (ms: number) => {
      await run("insert into rate_limit (key, expire) values ('expired', 0) on conflict do nothing")
      nowMs += ms
      await limits.take('balance_look_up', from('192.0.2.2'))
      return (await run("select key from rate_limit where key = 'expired'")).rows.length
    }
    expect(await takeAfter(59_999)).toBe(1)
    expect(await takeAfter(1)).toBe(0)
    expect(await takeAfter(59_999)).toBe(1)
    expect(await takeAfter(1)).toBe(0)
  })

  test('after a flood, the expired rows are deleted without waiting for a minute each time', async () => {
    await run(
      "insert into rate_limit (key, expire) select 'expired/' || n, 0 from generate_series(1, 25000) n",
    )
    nowMs += 60_000
    for (let use = 1; use <= 3; use += 1) await limits.take('balance_look_up', from('192.0.2.2'))
    expect((await run('select key from rate_limit where expire = 0')).rows).toEqual([])
  })
})

test('a flood of refusals does not fill the memory', async () => {
  let questionCount = 0
  const limits = createRateLimits({
    onVercel: false,
    now: () => 0,
    query: async () => {
      questionCount += 1
      return { rows: [{ s0: Number.MAX_SAFE_INTEGER }] }
    },
  })
  const refuse = (index: number) => waitOf(limits.take('account_creation', from(address(index))))
  for (let index = 0; index <= 10_000; index += 1) await refuse(index)
  // The first ones are forgotten, and the latest is not.
  await refuse(10_000)
  expect(questionCount).toBe(10_001)
  await refuse(0)
  expect(questionCount).toBe(10_002)
})
