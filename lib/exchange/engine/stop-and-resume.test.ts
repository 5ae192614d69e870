import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import type { ExchangeLimits } from '@/lib/exchange/domain/exchange-limits'
import type { Kind } from '@/lib/exchange/engine/kind'
import { createDatabaseReplayStore, type ReplayStore } from '@/lib/exchange/engine/replay-store'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { NANO_PER_USD, nanoToUsdNumber } from '@/lib/money/nano'
import { ask, newResumeKey, ownCount } from '@/test/support/exchange-calls'
import { openReader, readAll, textOf, usageOf } from '@/test/support/exchange-replies'
import {
  createCustomer,
  listUsage,
  onlyUsage,
  startSite,
  type TestCustomer,
  type TestSite,
  waitForUsage,
} from '@/test/support/exchange-site'
import { listenToLog } from '@/test/support/log-lines'
import { HALF_AN_ANSWER, useStandInUpstream } from '@/test/support/stand-in-upstream'
import { resumeNameOf } from './request-headers'

const signal = new AbortController().signal

describeOnPostgres('a running answer', getDatabase => {
  const upstream = useStandInUpstream(HALF_AN_ANSWER)
  const site = () => startSite({ database: getDatabase(), upstream })

  function resume(
    running: TestSite,
    customer: TestCustomer,
    name: string,
    resumeKey: string | null,
    lastEventId = 0,
  ) {
    const { credential } = customer
    return running.exchanges.resume({ credential, name, resumeKey, lastEventId, signal })
  }

  describe('when it is stopped', () => {
    test('ends properly for its reader, aborts the upstream, and charges the delivered part', async () => {
      const running = site()
      const customer = await createCustomer(running.ledger, 1)
      const reply = await ask(running, customer)
      const reader = openReader(reply)
      await reader.readUntil('Ho ')
      const name = reply.headers['x-exchange-id'] ?? ''
      const stopped = await running.exchanges.stop({ credential: customer.credential, name })
      const { chargedNano } = await ownCount('Hi Ho ')
      const stream = await reader.readUntil('[DONE]')
      expect(textOf(stream)).toBe('Hi Ho ')
      expect(usageOf(stream)).toMatchObject({
        estimated: true,
        cost: nanoToUsdNumber(chargedNano),
        balance_usd: nanoToUsdNumber(NANO_PER_USD - chargedNano),
      })
      expect(stopped).toMatchObject({
        exchangeId: name,
        isStopped: true,
        chargedNano,
        balanceNano: NANO_PER_USD - chargedNano,
      })
      expect(await (await upstream.requestTo('/chat/completions')).ended).toBe('aborted')
      expect(await onlyUsage(running.ledger, customer)).toMatchObject({
        status: 'stopped',
        chargedNano,
      })
    })

    test('can be named by the id in the answer, only by its own account', async () => {
      const running = site()
      const [owner, other] = [
        await createCustomer(running.ledger, 1),
        await createCustomer(running.ledger, 1),
      ]
      const reply = await ask(running, owner)
      const reader = openReader(reply)
      const name = /"id":"([^"]+)"/.exec(await reader.readUntil('Ho '))?.[1] ?? ''
      await expect(running.exchanges.stop({ credential: other.credential, name })).rejects.toMatchObject({
        code: 'not_found',
      })
      expect(await running.exchanges.stop({ credential: owner.credential, name })).toMatchObject({
        exchangeId: reply.headers['x-exchange-id'],
        isStopped: true,
      })
      expect(textOf(await reader.readUntil('[DONE]'))).toBe('Hi Ho ')
    })

    test('by its resume name, is read to its end if its cost is only known there', async () => {
      const running = startSite({ database: getDatabase(), upstream, limits: { stopWaitMs: 1 } })
      const customer = await createCustomer(running.ledger, 1)
      const resumeKey = newResumeKey()
      upstream.setScript({ chat: { beforeHeaders: [{ type: 'gate', name: 'asked' }] } })
      const reply = ask(running, customer, { resumeKey })
      await upstream.gates.reached('asked')
      const name = resumeNameOf(resumeKey)
      const stopped = await running.exchanges.stop({ credential: customer.credential, name })
      expect(stopped).toMatchObject({ isStopped: false })
      upstream.gates.open('asked')
      await readAll(await reply)
      expect(await waitForUsage(running.ledger, customer)).toMatchObject({
        status: 'stopped',
        costBasis: 'upstream_tokens',
      })
    })

    test('by another account goes on, and that account learns nothing', async () => {
      const running = site()
      const [owner, other] = [
        await createCustomer(running.ledger, 1),
        await createCustomer(running.ledger, 1),
      ]
      const reply = await ask(running, owner)
      const name = reply.headers['x-exchange-id'] ?? ''
      const byOther = running.exchanges.stop({ credential: other.credential, name })
      await expect(byOther).rejects.toMatchObject({ code: 'not_found', status: 404 })
      const nobody = { kind: 'credit_id' as const, secretHash: '0'.repeat(64) }
      await expect(running.exchanges.stop({ credential: nobody, name })).rejects.toMatchObject({
        status: 401,
      })
      upstream.gates.open('mid')
      await readAll(reply)
      expect(await onlyUsage(running.ledger, owner)).toMatchObject({ status: 'completed' })
    })

    test('twice or after its end, is stopped once', async () => {
      const running = site()
      const customer = await createCustomer(running.ledger, 1)
      const reply = await ask(running, customer)
      const input = { credential: customer.credential, name: reply.headers['x-exchange-id'] ?? '' }
      await Promise.allSettled([running.exchanges.stop(input), running.exchanges.stop(input)])
      await readAll(reply)
      await expect(running.exchanges.stop(input)).rejects.toMatchObject({ code: 'not_found' })
      expect(await onlyUsage(running.ledger, customer)).toMatchObject({ status: 'stopped' })
    })
  })

  test('of a credit that was closed meanwhile, can still be resumed and stopped', async () => {
    const running = site()
    const [leaked, into] = [await createCustomer(running.ledger, 1), await createCustomer(running.ledger, 0)]
    const resumeKey = newResumeKey()
    const reply = await ask(running, leaked, { resumeKey })
    const name = reply.headers['x-exchange-id'] ?? ''
    await openReader(reply).readUntil('Ho ')
    const reference = randomUUID()
    const closing = { from: leaked.credential, into: into.credential, reference, closes: true }
    expect(await running.ledger.merge(closing)).toMatchObject({ isClosed: false })
    const rest = openReader(await resume(running, leaked, name, resumeKey))
    const stopped = await running.exchanges.stop({ credential: leaked.credential, name })
    expect(stopped).toMatchObject({ exchangeId: name, isStopped: true })
    expect(textOf(await rest.readUntil('[DONE]'))).toBe('Hi Ho ')
    await expect(ask(running, leaked)).rejects.toMatchObject({ status: 401 })
  })

  describe('when it is resumed', () => {
    test('continues after any event, during the call and after it', async () => {
      const running = site()
      const customer = await createCustomer(running.ledger, 1)
      const resumeKey = newResumeKey()
      const reply = await ask(running, customer, { resumeKey })
      const name = reply.headers['x-exchange-id'] ?? ''
      const ahead = openReader(await resume(running, customer, name, resumeKey))
      await ahead.readUntil('id: 2')
      const live = await Promise.all([0, 1, 2].map(last => resume(running, customer, name, resumeKey, last)))
      upstream.gates.open('mid')
      const whole = await readAll(reply)
      const after = (last: number) => whole.slice(whole.indexOf(`id: ${last + 1}\n`))
      expect(await Promise.all(live.map(readAll))).toEqual([0, 1, 2].map(after))
      await running.exchanges.drain()
      const elsewhere = site()
      for (const last of [0, 1, 2, 3]) {
        const kept = await resume(elsewhere, customer, name, resumeKey, last)
        expect(await readAll(kept)).toBe(after(last))
      }
      // A browser that was reloaded before it knew the id.
      const named = await resume(elsewhere, customer, resumeNameOf(resumeKey), resumeKey)
      expect(await readAll(named)).toBe(whole)
      // One that has seen all of it.
      const eventCount = whole.match(/^id: /gm)?.length
      expect(await readAll(await resume(elsewhere, customer, name, resumeKey, eventCount))).toBe('')
    })

    describe('and could not be stored', () => {
      let log: ReturnType<typeof listenToLog>
      beforeEach(() => {
        log = listenToLog()
      })
      afterEach(() => log.stop())
      const failing = (limits: Partial<ExchangeLimits>) => {
        const store = createDatabaseReplayStore({ database: getDatabase() })
        const state = { isAway: true }
        const put: ReplayStore['put'] = async input => {
          if (state.isAway) throw new Error('the database is away')
          await store.put(input)
        }
        const options = { database: getDatabase(), upstream, replayStore: { ...store, put } }
        const keepRetryDelaysMs = Array<number>(10_000).fill(1)
        return { state, running: startSite({ ...options, limits: { keepRetryDelaysMs, ...limits } }) }
      }
      async function askFor(running: TestSite) {
        upstream.gates.open('mid')
        const customer = await createCustomer(running.ledger, 1)
        const resumeKey = newResumeKey()
        const whole = await readAll(await ask(running, customer, { resumeKey }))
        const again = async (at: TestSite) =>
          readAll(await resume(at, customer, resumeNameOf(resumeKey), resumeKey))
        return { whole, again }
      }

      test('is found in its process until it is stored, and then everywhere', async () => {
        const { state, running } = failing({})
        const { whole, again } = await askFor(running)
        expect(await again(running)).toBe(whole)
        await expect(again(site())).rejects.toMatchObject({ status: 404 })
        state.isAway = false
        await running.exchanges.drain()
        expect(await again(site())).toBe(whole)
        expect(log.messages()).toContain('an answer could not be stored for replay')
      })

      test('keeps no process from ending', async () => {
        const { running } = failing({ drainTimeoutMs: 10, keepRetryDelaysMs: [3_600_000, 3_600_000] })
        const { again } = await askFor(running)
        await running.exchanges.drain()
        await expect(again(running)).rejects.toMatchObject({ status: 404 })
      })
    })

    test.each(['another key', 'another account', 'an unknown exchange', 'too far ahead'])(
      'with %s is not found, during the call and after it',
      async wrong => {
        const running = site()
        const [owner, other] = [
          await createCustomer(running.ledger, 1),
          await createCustomer(running.ledger, 1),
        ]
        const resumeKey = newResumeKey()
        const reply = await ask(running, owner, { resumeKey })
        const id = reply.headers['x-exchange-id'] ?? ''
        const attempt = () =>
          resume(
            running,
            wrong === 'another account' ? other : owner,
            wrong === 'an unknown exchange' ? '00000000-0000-4000-8000-000000000000' : id,
            wrong === 'another key' ? newResumeKey() : resumeKey,
            wrong === 'too far ahead' ? 99 : 0,
          )
        await expect(attempt()).rejects.toMatchObject({ code: 'not_found' })
        upstream.gates.open('mid')
        await readAll(reply)
        await expect(attempt()).rejects.toMatchObject({ code: 'not_found' })
      },
    )

    test('without a resume key is not found', async () => {
      const running = site()
      const customer = await createCustomer(running.ledger, 1)
      const reply = await ask(running, customer)
      const name = reply.headers['x-exchange-id'] ?? ''
      for (const resumeKey of [newResumeKey(), null])
        await expect(resume(running, customer, name, resumeKey)).rejects.toMatchObject({ code: 'not_found' })
      upstream.gates.open('mid')
      await readAll(reply)
    })

    test('is stored sealed, and only for its time', async () => {
      const running = startSite({ database: getDatabase(), upstream, limits: { replayTtlSeconds: 0 } })
      const kept = site()
      const customer = await createCustomer(running.ledger, 1)
      const resumeKey = newResumeKey()
      upstream.setScript({ chat: { steps: [{ type: 'text', text: 'a very private answer' }] } })
      const gone = await ask(running, customer, { resumeKey })
      await readAll(gone)
      await running.exchanges.drain()
      const name = gone.headers['x-exchange-id'] ?? ''
      await expect(resume(kept, customer, name, resumeKey)).rejects.toMatchObject({ code: 'not_found' })

      const stays = await ask(kept, customer, { resumeKey: newResumeKey() })
      await readAll(stays)
      await kept.exchanges.drain()
      const store = createDatabaseReplayStore({ database: getDatabase() })
      await store.sweep({ rowCountMax: 10 })
      const rows = await getDatabase().kysely.selectFrom('replay').selectAll().execute()
      expect(rows.map(row => row.exchange_id)).not.toContain(name)
      expect(rows.map(row => row.exchange_id)).toContain(stays.headers['x-exchange-id'])
      for (const row of rows) expect(Buffer.from(row.sealed).toString('latin1')).not.toContain('private')
    })
  })

  test('may finish during a shutdown, while new calls are refused', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const reply = await ask(running, customer)
    const drained = running.exchanges.drain()
    await expect(ask(running, customer)).rejects.toMatchObject({ status: 503 })
    upstream.gates.open('mid')
    await Promise.all([drained, readAll(reply)])
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({ status: 'completed' })
  })

  test('may finish during a shutdown that begins while its hold is placed', async () => {
    const real = createEmbeddedLedger({ database: getDatabase() })
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const hold: Ledger['hold'] = async input => {
      asked.resolve()
      await answered.promise
      return real.hold(input)
    }
    const running = startSite({ database: getDatabase(), upstream, ledger: { ...real, hold } })
    const customer = await createCustomer(real, 1)
    const reply = ask(running, customer)
    await asked.promise
    const drained = running.exchanges.drain().then(() => listUsage(real, customer.accountId))
    upstream.gates.open('mid')
    answered.resolve()
    await readAll(await reply)
    expect(await drained).toMatchObject([{ status: 'completed' }])
  })

  test('keeps a serverless process awake from before its hold until it is settled', async () => {
    const real = createEmbeddedLedger({ database: getDatabase() })
    const announced: Promise<unknown>[] = []
    const counts: number[] = []
    const hold: Ledger['hold'] = input => {
      counts.push(announced.length)
      return real.hold(input)
    }
    const running = startSite({
      database: getDatabase(),
      upstream,
      ledger: { ...real, hold },
      keepAlive: work => announced.push(work),
    })
    const customer = await createCustomer(real, 1)
    const reply = await ask(running, customer)
    upstream.gates.open('mid')
    void readAll(reply)
    await Promise.all(announced)
    expect(counts).toEqual([1])
    expect(await onlyUsage(real, customer)).toMatchObject({ status: 'completed' })
  })

  test('that is still being priced at the end of the shutdown never begins', async () => {
    const running = startSite({ database: getDatabase(), upstream, limits: { drainTimeoutMs: 5 } })
    const customer = await createCustomer(running.ledger, 1)
    const [asked, priced] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const quote: Kind['quote'] = async input => {
      asked.resolve()
      await priced.promise
      return running.kinds.chat.quote(input)
    }
    const kinds = { ...running.kinds, chat: { ...running.kinds.chat, quote } }
    const reply = ask({ ...running, kinds }, customer)
    const refused = expect(reply).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    await asked.promise
    await running.exchanges.drain()
    await refused
    priced.resolve()
    expect(await listUsage(running.ledger, customer.accountId)).toEqual([])
    expect((await running.ledger.getBalance(customer))?.heldNano).toBe(0n)
  })

  test('whose hold is placed only after the shutdown time calls no upstream, and releases the hold', async () => {
    const real = createEmbeddedLedger({ database: getDatabase() })
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const [early, late] = [await createCustomer(real, 1), await createCustomer(real, 1)]
    const hold: Ledger['hold'] = async input => {
      if (input.credential === early.credential) return real.hold(input)
      asked.resolve()
      await answered.promise
      return real.hold(input)
    }
    const limits = { drainTimeoutMs: 5 }
    const running = startSite({ database: getDatabase(), upstream, limits, ledger: { ...real, hold } })
    const stopped = readAll(await ask(running, early))
    const refused = expect(ask(running, late)).rejects.toMatchObject({ status: 503 })
    await asked.promise
    const drained = running.exchanges.drain()
    await stopped
    answered.resolve()
    await Promise.all([refused, drained])
    expect(await onlyUsage(real, late)).toMatchObject({ status: 'failed', chargedNano: 0n })
    expect(await real.getBalance(late)).toMatchObject({ heldNano: 0n, balanceNano: 1_000_000_000n })
    expect(upstream.requests.filter(({ path }) => path === '/chat/completions')).toHaveLength(1)
  })

  test('that outlasts the shutdown is charged for the delivered part', async () => {
    const running = startSite({ database: getDatabase(), upstream, limits: { drainTimeoutMs: 5 } })
    const customer = await createCustomer(running.ledger, 1)
    const reply = await ask(running, customer)
    const [, stream] = await Promise.all([running.exchanges.drain(), readAll(reply)])
    expect(stream).toContain('"error"')
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({
      status: 'failed',
      costBasis: 'local_count',
    })
  })
})
