import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { NANO_PER_USD } from '@/lib/money/nano'
import { ask, newResumeKey, ownCount } from '@/test/support/exchange-calls'
import { openReader, readAll, textOf } from '@/test/support/exchange-replies'
import {
  createCustomer,
  onlyUsage,
  startSite,
  type TestCustomer,
  type TestSite,
} from '@/test/support/exchange-site'
import { HALF_AN_ANSWER, useStandInUpstream } from '@/test/support/stand-in-upstream'
import { EXCHANGE_LIMITS, type ExchangeLimits } from '../domain/exchange-limits'
import { createDatabaseExchangeBoard, type ExchangeBoard } from './exchange-board'
import { resumeNameOf } from './request-headers'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const signal = new AbortController().signal

/** Each look is a query; the embedded database answers it without ever letting the network speak. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await nextTurn()
}

describeOnPostgres('an answer that another process is writing', getDatabase => {
  const upstream = useStandInUpstream(HALF_AN_ANSWER)

  const process = (limits: Partial<ExchangeLimits> = {}, board?: ExchangeBoard) =>
    startSite({
      database: getDatabase(),
      upstream,
      limits,
      board: board ?? createDatabaseExchangeBoard({ database: getDatabase() }),
    })

  /** An answer in the middle, in a process of its own, announced to all. */
  async function startAnswer(resumeKey = newResumeKey(), ...site: Parameters<typeof process>) {
    const owner = process(...site)
    const customer = await createCustomer(owner.ledger, 1)
    const reply = await ask(owner, customer, { resumeKey })
    const name = reply.headers['x-exchange-id'] ?? ''
    const board = createDatabaseExchangeBoard({ database: getDatabase() })
    if ((site[0]?.announcementTtlSeconds ?? 1) > 0) {
      await until(async () => (await board.find({ name, accountId: customer.accountId })) !== null)
    }
    return { owner, customer, reply, name, resumeKey }
  }
  const stop = (site: TestSite, { credential }: TestCustomer, name: string) =>
    site.exchanges.stop({ credential, name })
  const resume = (
    site: TestSite,
    { credential }: TestCustomer,
    input: { name: string; resumeKey: string; lastEventId?: number },
  ) => site.exchanges.resume({ credential, lastEventId: 0, signal, ...input })

  test('can be stopped from here: its upstream is aborted, and the delivered part is charged', async () => {
    const { owner, customer, reply, name, resumeKey } = await startAnswer()
    const reader = openReader(reply)
    await reader.readUntil('Ho ')
    const stopped = await stop(process(), customer, resumeNameOf(resumeKey))
    expect(textOf(await reader.readUntil('[DONE]'))).toBe('Hi Ho ')
    const { chargedNano } = await ownCount('Hi Ho ')
    expect(stopped).toEqual({
      exchangeId: name,
      isStopped: true,
      chargedNano,
      balanceNano: NANO_PER_USD - chargedNano,
    })
    expect(await (await upstream.requestTo('/chat/completions')).ended).toBe('aborted')
    expect(await onlyUsage(owner.ledger, customer)).toMatchObject({ status: 'stopped', chargedNano })
  })

  test('cannot be stopped by another account, which learns nothing', async () => {
    const { owner, customer, reply, name } = await startAnswer()
    const other = await createCustomer(owner.ledger, 1)
    await expect(stop(process(), other, name)).rejects.toMatchObject({ code: 'not_found' })
    await expect(stop(process(), customer, UNKNOWN)).rejects.toMatchObject({ code: 'not_found' })
    upstream.gates.open('mid')
    await readAll(reply)
    expect(await onlyUsage(owner.ledger, customer)).toMatchObject({ status: 'completed' })
  })

  test('is waited for by a resuming reader, who then gets the rest', async () => {
    const { customer, reply, name, resumeKey } = await startAnswer()
    // A browser that has lost the id knows the name that it derived from its key.
    const names = [name, resumeNameOf(resumeKey)]
    const resumed = names.map(each => resume(process(), customer, { name: each, resumeKey, lastEventId: 1 }))
    upstream.gates.open('mid')
    const whole = await readAll(reply)
    const rest = whole.slice(whole.indexOf('id: 2\n'))
    expect(await Promise.all(resumed.map(async each => readAll(await each)))).toEqual([rest, rest])
  })

  test('is found even if it is announced a moment later', async () => {
    const board = createDatabaseExchangeBoard({ database: getDatabase() })
    const lookedTwice = Promise.withResolvers<void>()
    const announce: ExchangeBoard['announce'] = async (...told) => {
      await lookedTwice.promise
      await board.announce(...told)
      upstream.gates.open('mid')
    }
    const owner = process({}, { ...board, announce })
    const customer = await createCustomer(owner.ledger, 1)
    const resumeKey = newResumeKey()
    const reply = await ask(owner, customer, { resumeKey })
    let lookCount = 0
    const find: ExchangeBoard['find'] = input => {
      lookCount += 1
      if (lookCount === 2) lookedTwice.resolve()
      return board.find(input)
    }
    const here = process({ announcementDelayMs: 30_000 }, { ...board, find })
    const name = reply.headers['x-exchange-id'] ?? ''
    const resumed = await resume(here, customer, { name, resumeKey }).finally(lookedTwice.resolve)
    expect(await readAll(resumed)).toBe(await readAll(reply))
  })

  test('is announced after a database outage, and again if the database has lost it', async () => {
    const board = createDatabaseExchangeBoard({ database: getDatabase() })
    let failureCount = 2
    const announce: ExchangeBoard['announce'] = (...told) =>
      failureCount-- > 0 ? Promise.reject(new Error('the database is away')) : board.announce(...told)
    const { reply, ...told } = await startAnswer(undefined, { stopPollIntervalMs: 1 }, { ...board, announce })
    await getDatabase().kysely.deleteFrom('running_exchange').execute()
    await until(async () => (await board.find({ ...told, ...told.customer })) !== null)
    upstream.gates.open('mid')
    expect(textOf(await readAll(reply))).toBe('Hi Ho ')
  })

  test('is answered with conflict and Retry-After while it goes on', async () => {
    const { customer, reply, name, resumeKey } = await startAnswer()
    const impatient = process({ otherProcessWaitMs: 0 })
    await expect(resume(impatient, customer, { name, resumeKey })).rejects.toMatchObject({
      status: 409,
      headers: { 'retry-after': '1' },
    })
    upstream.gates.open('mid')
    await readAll(reply)
  })

  test.each([
    ['with another resume key', (input: { name: string }) => ({ ...input, resumeKey: newResumeKey() })],
    ['under an unknown name', (input: { name: string; resumeKey: string }) => ({ ...input, name: UNKNOWN })],
  ])('is not found %s, without waiting', async (_case, wrong) => {
    const { customer, reply, ...input } = await startAnswer()
    await expect(resume(process(), customer, wrong(input))).rejects.toMatchObject({ code: 'not_found' })
    upstream.gates.open('mid')
    await readAll(reply)
  })

  test('whose announcement has expired counts as lost with its process', async () => {
    const { customer, reply, name, resumeKey } = await startAnswer(newResumeKey(), {
      // Over before it began, whatever the clock is rounded to.
      announcementTtlSeconds: -1,
    })
    const here = process()
    await expect(resume(here, customer, { name, resumeKey })).rejects.toMatchObject({ code: 'not_found' })
    await expect(stop(here, customer, name)).rejects.toMatchObject({ code: 'not_found' })
    upstream.gates.open('mid')
    await readAll(reply)
  })

  test('is believed announced for no longer than a reader waits', () => {
    const { announcementTtlSeconds, otherProcessWaitMs } = EXCHANGE_LIMITS
    expect(announcementTtlSeconds * 1_000).toBeLessThanOrEqual(otherProcessWaitMs)
  })

  test('is stopped within the time that a stop waits, even if the host’s record takes as long as it may', () => {
    const { stopPollIntervalMs, generationRecordTimeoutMs, otherProcessPollIntervalMs, stopWaitMs } =
      EXCHANGE_LIMITS
    const longestMs = stopPollIntervalMs + generationRecordTimeoutMs + otherProcessPollIntervalMs
    expect(stopWaitMs).toBeGreaterThan(longestMs)
  })

  test('is written even if it cannot be announced', async () => {
    const away = () => Promise.reject(new Error('the database is away'))
    const board: ExchangeBoard = {
      announce: away,
      withdraw: away,
      find: away,
      requestStop: away,
      keep: away,
      sweep: away,
    }
    const owner = process({}, board)
    const customer = await createCustomer(owner.ledger, 1)
    const reply = await ask(owner, customer)
    upstream.gates.open('mid')
    expect(textOf(await readAll(reply))).toBe('Hi Ho ')
    expect(await onlyUsage(owner.ledger, customer)).toMatchObject({ status: 'completed' })
  })

  test('is announced together with other running answers, in fewer queries than answers', async () => {
    const board = createDatabaseExchangeBoard({ database: getDatabase() })
    const posted: number[] = []
    const site = process(
      {},
      {
        ...board,
        announce(exchanges, ttlSeconds) {
          posted.push(exchanges.length)
          return board.announce(exchanges, ttlSeconds)
        },
      },
    )
    const customer = await createCustomer(site.ledger, 1)
    const replies = await Promise.all(Array.from({ length: 8 }, () => ask(site, customer)))
    const names = replies.map(reply => reply.headers['x-exchange-id'] ?? '')
    const found = () => Promise.all(names.map(name => board.find({ name, ...customer })))
    await until(async () => (await found()).every(running => running !== null))
    expect(posted.reduce((sum, count) => sum + count)).toBe(names.length)
    expect(posted.length).toBeLessThan(names.length)
    upstream.gates.open('mid')
    await Promise.all(replies.map(readAll))
    await until(async () => (await found()).every(running => running === null))
  })

  /** As an exchange made then would be called, by the version of its id. */
  const nameFrom = (timeMs: number, version = 7) => {
    const time = timeMs.toString(16).padStart(12, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-${version}000-8000-000000000000`
  }

  test('is not announced if it is short and cannot be resumed', async () => {
    upstream.setScript({ chat: { steps: [{ type: 'text', text: 'Hello there.' }] } })
    const posted: string[] = []
    const board = createDatabaseExchangeBoard({ database: getDatabase() })
    const announce: ExchangeBoard['announce'] = (exchanges, ttlSeconds) => {
      posted.push(...exchanges.map(({ exchangeId }) => exchangeId))
      return board.announce(exchanges, ttlSeconds)
    }
    const site = process({ announcementDelayMs: 60_000 }, { ...board, announce })
    const customer = await createCustomer(site.ledger, 1)
    expect(textOf(await readAll(await ask(site, customer)))).toBe('Hello there.')
    const resumable = await ask(site, customer, { resumeKey: newResumeKey() })
    await readAll(resumable)
    expect(posted).toEqual([resumable.headers['x-exchange-id']])
  })

  test('can be stopped from here before it is announced', async () => {
    const owner = process({ announcementDelayMs: 50 })
    const customer = await createCustomer(owner.ledger, 1)
    const reply = await ask(owner, customer)
    const name = reply.headers['x-exchange-id'] ?? ''
    const stopped = await stop(process({ announcementDelayMs: 60_000 }), customer, name)
    expect(stopped).toMatchObject({ exchangeId: name, isStopped: true })
    await readAll(reply)
  })

  test('is looked for only once if an account stops too many at a time', async () => {
    const board = createDatabaseExchangeBoard({ database: getDatabase() })
    let found: string | null = null
    const limits = { announcementDelayMs: 60_000, stopWaitMs: 0 }
    const site = process(limits, { ...board, requestStop: async () => found })
    const customer = await createCustomer(site.ledger, 1)
    // Of an answer that may just have begun: its id tells when that was.
    const young = nameFrom(Date.now())
    const stops = Array.from({ length: 33 }, () => stop(site, customer, young))
    await expect(Promise.race(stops)).rejects.toMatchObject({ code: 'not_found' })
    found = young
    const ends = await Promise.allSettled(stops)
    expect(ends.map(({ status }) => status).sort()).toEqual([...Array(32).fill('fulfilled'), 'rejected'])
  })

  test('is looked for only once under an id that is not recent', async () => {
    const board = createDatabaseExchangeBoard({ database: getDatabase() })
    let lookCount = 0
    const requestStop = async () => {
      lookCount += 1
      return null
    }
    const site = process({ announcementDelayMs: 50 }, { ...board, requestStop })
    const customer = await createCustomer(site.ledger, 1)
    for (const name of [nameFrom(Date.now() - 60_000), nameFrom(Date.now(), 4)])
      await expect(stop(site, customer, name)).rejects.toMatchObject({ code: 'not_found' })
    expect(lookCount).toBe(2)
  })

  test('is waited for by a reader even while its account stops others', async () => {
    const { customer, reply, name, resumeKey } = await startAnswer()
    const board = createDatabaseExchangeBoard({ database: getDatabase() })
    let found: string | null = null
    let stopLookCount = 0
    const requestStop = async () => {
      stopLookCount += 1
      return found
    }
    const here = process({ announcementDelayMs: 60_000, stopWaitMs: 0 }, { ...board, requestStop })
    const stops = Array.from({ length: 5 }, () => stop(here, customer, nameFrom(Date.now())))
    await until(async () => stopLookCount > 5)
    const rest = resume(here, customer, { name, resumeKey })
    const looked = stopLookCount
    await until(async () => stopLookCount > looked + 50)
    upstream.gates.open('mid')
    await readAll(reply)
    expect(textOf(await readAll(await rest))).toBe('Hi Ho ')
    found = name
    await Promise.allSettled(stops)
  })

  test('is removed from the board at its end, and swept if its process died', async () => {
    const board = createDatabaseExchangeBoard({ database: getDatabase() })
    const { customer, reply, name } = await startAnswer()
    upstream.gates.open('mid')
    await readAll(reply)
    await until(async () => (await board.find({ name, accountId: customer.accountId })) === null)

    await board.announce([{ exchangeId: UNKNOWN, ...customer, resumeName: null }], -1)
    await board.sweep({ rowCountMax: 10 })
    const left = await getDatabase().kysely.selectFrom('running_exchange').select('exchange_id').execute()
    expect(left.map(row => row.exchange_id)).not.toContain(UNKNOWN)
  })
})
