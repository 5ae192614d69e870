import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { openDatabase } from '@/lib/db/open-database'
import { TestProcess } from '@/lib/db/testing-process'
import { checkLedger } from './check-ledger'
import { createEmbeddedLedger } from './embedded-ledger'

/** `LEDGER_KILL_ROUNDS=100` runs longer. */
const ROUND_COUNT = Number(process.env.LEDGER_KILL_ROUNDS ?? '3')
const ROUND_TIMEOUT_MS = 60_000
/** One a round: a writer restarts a dead database and goes on; the next start may find both dead. */
const VICTIMS = ['the writer', 'the database first', 'both'] as const

describe('a server or its database, killed while it writes', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tuppence-kill-'))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  async function killDatabase() {
    const [pid] = (await readFile(join(directory, 'postgres/postmaster.pid'), 'utf8')).split('\n', 1)
    process.kill(Number(pid), 'SIGKILL')
  }

  test(
    'loses nothing that it acknowledged, and after a sweep nothing is held and the books balance',
    async () => {
      for (let round = 0; round < ROUND_COUNT; round += 1) {
        const writer = new TestProcess('lib/ledger/server/testing-writer.ts', [directory])
        // At a different point of the work in each round.
        const lines = await writer.waitForLines(20 + 13 * round)
        const victim = VICTIMS[round % VICTIMS.length]
        if (victim !== 'the writer') await killDatabase()
        if (victim === 'the database first') await writer.waitForLines(lines.length + 20)
        await writer.kill()

        const database = await openDatabase({ url: null, directUrl: null, dataDirectory: directory })
        expect((await checkLedger({ database })).differences).toEqual([])
        const holds = await database.kysely.selectFrom('hold').select(['id', 'state']).execute()
        const states = new Map(holds.map(hold => [hold.id, hold.state]))
        for (const line of writer.output) {
          const [outcome, holdId = ''] = line.split(' ')
          // It was resolved before, where the first answer went down with the database.
          expect(['resolved', 'already_resolved']).toContain(outcome)
          expect(states.get(holdId)).toBe('settled')
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
