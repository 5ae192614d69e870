import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { ask } from '@/test/support/exchange-calls'
import { readAll } from '@/test/support/exchange-replies'
import { createCustomer, listUsage, startSite } from '@/test/support/exchange-site'
import { useStandInUpstream } from '@/test/support/stand-in-upstream'
import { createDatabaseExchangeBoard, type ExchangeBoard } from './exchange-board'
import { createDatabaseReplayStore, type ReplayStore } from './replay-store'

describeOnPostgres('a request', getDatabase => {
  const upstream = useStandInUpstream({ chat: { steps: [{ type: 'text', text: 'Hi', times: 5 }] } })
  const startWith = (change: Partial<ReplayStore>, board?: ExchangeBoard) => {
    const database = getDatabase()
    const replayStore = { ...createDatabaseReplayStore({ database }), ...change }
    return startSite({ database, upstream, replayStore, board })
  }
  const callCount = () => upstream.requests.filter(({ path }) => path === '/chat/completions').length

  test.each([true, false])(
    'repeated as soon as the answer has ended (stream: %p) finds it stored',
    async stream => {
      const store = createDatabaseReplayStore({ database: getDatabase() })
      const order: string[] = []
      const put: ReplayStore['put'] = async input => {
        for (let turn = 0; turn < 100; turn += 1) await nextTurn()
        await store.put(input)
        order.push('stored')
      }
      const running = startWith({ put })
      const customer = await createCustomer(running.ledger, 1)
      await readAll(await ask(running, customer, { idempotencyKey: randomUUID(), body: { stream } }))
      order.push('ended')
      expect(order).toEqual(['stored', 'ended'])
    },
  )

  test('repeated while another process, which has just charged the answer, stores it waits for it', async () => {
    const store = createDatabaseReplayStore({ database: getDatabase() })
    const looked = Promise.withResolvers<void>()
    const stored = Promise.withResolvers<void>()
    const charged = Promise.withResolvers<void>()
    const put: ReplayStore['put'] = async input => {
      charged.resolve()
      await looked.promise
      await store.put(input)
      stored.resolve()
    }
    const find: ReplayStore['find'] = async name => {
      const found = await store.find(name)
      looked.resolve()
      await stored.promise
      return found
    }
    const running = startWith({ put })
    const customer = await createCustomer(running.ledger, 1)
    const idempotencyKey = randomUUID()
    const first = ask(running, customer, { idempotencyKey }).then(readAll)
    await charged.promise
    const elsewhere = startWith({ find })
    expect(await readAll(await ask(elsewhere, customer, { idempotencyKey }))).toBe(await first)
    expect(callCount()).toBe(1)
  })

  /** An answer that one process has charged, and stores once it may. */
  async function chargedAnswer(board: ExchangeBoard) {
    const store = createDatabaseReplayStore({ database: getDatabase() })
    const charged = Promise.withResolvers<void>()
    const mayBeStored = Promise.withResolvers<void>()
    const put: ReplayStore['put'] = async input => {
      charged.resolve()
      await mayBeStored.promise
      await store.put(input)
    }
    const running = startWith({ put }, board)
    const customer = await createCustomer(running.ledger, 1)
    const idempotencyKey = randomUUID()
    const first = ask(running, customer, { idempotencyKey }).then(readAll)
    await charged.promise
    return { running, customer, idempotencyKey, first, letBeStored: mayBeStored.resolve }
  }

  test('repeated while another process takes long to store the answer is told to try again, with the same key', async () => {
    const board = createDatabaseExchangeBoard({ database: getDatabase() })
    const { running, customer, idempotencyKey, first, letBeStored } = await chargedAnswer(board)
    const [{ holdId: name = '' } = {}] = await listUsage(running.ledger, customer.accountId)
    while (!(await board.find({ name, accountId: customer.accountId }))) await nextTurn()
    const elsewhere = startWith({}, board)
    const again = () => ask(elsewhere, customer, { idempotencyKey })
    await expect(again().finally(letBeStored)).rejects.toMatchObject({
      code: 'conflict',
      headers: { 'retry-after': '1', 'x-exchange-id': name },
    })
    const told = await first
    expect(await readAll(await again())).toBe(told)
    expect(callCount()).toBe(1)
  })

  test('repeated just before another process has stored the answer, and just after, finds it stored', async () => {
    const board = createDatabaseExchangeBoard({ database: getDatabase() })
    const { customer, idempotencyKey, first, letBeStored } = await chargedAnswer(board)
    const find: ExchangeBoard['find'] = async () => {
      letBeStored()
      await first
      // It has been withdrawn by now.
      return null
    }
    const again = ask(startWith({}, { ...board, find }), customer, { idempotencyKey })
    expect(await readAll(await again)).toBe(await first)
    expect(callCount()).toBe(1)
  })

  test('repeated when the answer is no longer stored is refused, and nothing is asked or paid again', async () => {
    const running = startWith({})
    const customer = await createCustomer(running.ledger, 1)
    const idempotencyKey = randomUUID()
    await readAll(await ask(running, customer, { idempotencyKey }))
    await running.exchanges.drain()
    await running.database.kysely
      .updateTable('replay')
      .set({ expires_at: new Date(0) })
      .execute()
    const again = ask(startWith({}), customer, { idempotencyKey })
    await expect(again).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('no longer'),
    })
    expect(callCount()).toBe(1)
    expect(await listUsage(running.ledger, customer.accountId)).toHaveLength(1)
    const board = createDatabaseExchangeBoard({ database: getDatabase() })
    const find = () => Promise.reject(new Error('the connection was lost'))
    const unknown = ask(startWith({}, { ...board, find }), customer, { idempotencyKey })
    await expect(unknown).rejects.toMatchObject({ code: 'ledger_unavailable' })
  })
})
