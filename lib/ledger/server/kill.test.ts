import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { openDatabase } from '@/lib/db/open-database'
import { TestProcess } from '@/lib/db/testing-process'
import { checkLedger } from './check-ledger'
import { createEmbeddedLedger } from './embedded-ledger'

/** `LEDGER_KILL_ROUNDS=100` kills as often as the money's promise deserves. */
const ROUND_COUNT = Number(process.env.LEDGER_KILL_ROUNDS ?? '3')
const ROUND_TIMEOUT_MS = 60_000

describe('a server killed while it writes', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tuppence-kill-'))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  test(
    'loses nothing that it acknowledged, and after a sweep nothing is held and the books balance',
    async () => {
      for (let round = 0; round < ROUND_COUNT; round += 1) {
        const writer = new TestProcess('lib/ledger/server/testing-writer.ts', [directory])
        // Another point of the work in each round.
        await writer.waitForLines(20 + 13 * round)
        await writer.kill()

        const database = await openDatabase({ url: null, directUrl: null, dataDirectory: directory })
        expect((await checkLedger({ database })).differences).toEqual([])
        const holds = await database.kysely.selectFrom('hold').select(['id', 'state']).execute()
        const states = new Map(holds.map(hold => [hold.id, hold.state]))
        for (const line of writer.output) {
          const [outcome, holdId = ''] = line.split(' ')
          expect([outcome, states.get(holdId)]).toEqual(['resolved', 'settled'])
        }
        await database.kysely
          .updateTable('hold')
          .set({ expires_at: sql`now() - interval '1 second'` })
          .where('state', '=', 'open')
          .execute()
        await createEmbeddedLedger({ database }).sweep({ holdCountMax: 1_000 })
        const held = await database.kysely
          .selectFrom('account')
          .where('held_nano', '>', 0n)
          .select('id')
          .execute()
        expect(held).toEqual([])
        expect((await checkLedger({ database })).differences).toEqual([])
        await database.close()
      }
    },
    ROUND_COUNT * ROUND_TIMEOUT_MS,
  )
})
