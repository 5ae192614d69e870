import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import { createDatabaseExchangeBoard, type ExchangeBoard } from './exchange-board'

describeOnPostgres('the board of running answers', getDatabase => {
  let board: ExchangeBoard
  beforeEach(async () => {
    await getDatabase().kysely.deleteFrom('running_exchange').execute()
    board = createDatabaseExchangeBoard({ database: getDatabase() })
  })

  async function announce(ttlSeconds = 600) {
    const told = { exchangeId: randomUUID(), accountId: randomUUID(), resumeName: null }
    await board.announce([told], ttlSeconds)
    return told
  }
  const find = ({ exchangeId, accountId }: Awaited<ReturnType<typeof announce>>) =>
    board.find({ name: exchangeId, accountId })
  /** Those that are still there in ten seconds. */
  const lasting = async () => {
    const rows = getDatabase().kysely.selectFrom('running_exchange').select('exchange_id')
    const later = sql<Date>`now() + interval '10 seconds'`
    return (await rows.where('expires_at', '>', later).execute()).map(row => row.exchange_id)
  }

  test('is told of an answer again, as after a lost reply, and forgets no stop', async () => {
    const told = await announce()
    await board.requestStop({ name: told.exchangeId, accountId: told.accountId })
    await board.announce([told], 600)
    expect(await board.keep([told.exchangeId], 600)).toEqual([
      { exchangeId: told.exchangeId, isForgotten: false },
    ])
  })

  test('loses what is withdrawn, and nothing else', async () => {
    const [ended, running] = [await announce(), await announce()]
    await board.withdraw([ended.exchangeId])
    expect([await find(ended), await find(running)]).toEqual([null, running])
  })

  test('loses what has expired, a few at a time, and nothing else', async () => {
    const running = await announce()
    for (const _ of [1, 2]) await announce(-1)
    const counts = []
    for (const _ of [1, 2, 3]) {
      await board.sweep({ rowCountMax: 1 })
      const rows = await getDatabase().kysely.selectFrom('running_exchange').selectAll().execute()
      counts.push(rows.length)
    }
    expect(counts).toEqual([2, 1, 1])
    expect(await find(running)).toEqual(running)
  })

  test('shows nothing of an answer whose process has not kept it, swept or not', async () => {
    const { exchangeId: name, accountId } = await announce(-1)
    expect(await board.find({ name, accountId })).toBeNull()
    expect(await board.requestStop({ name, accountId })).toBeNull()
  })

  test('shows an answer to its own account alone', async () => {
    const { exchangeId: name } = await announce()
    const accountId = randomUUID()
    expect(await board.find({ name, accountId })).toBeNull()
    expect(await board.requestStop({ name, accountId })).toBeNull()
    expect(await board.keep([name], 600)).toEqual([])
  })

  test('keeps what its owner names, and nothing of a process that died', async () => {
    const [own, lost] = [await announce(5), await announce(5)]
    expect(await board.keep([own.exchangeId], 600)).toEqual([])
    expect(await find(lost)).toEqual(lost)
    expect(await lasting()).toEqual([own.exchangeId])
  })
})
