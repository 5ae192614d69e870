import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { CompiledQuery } from 'kysely'
import type { Database } from '@/lib/db/database'
import { openDatabaseAt } from '@/lib/db/open-database'
import { describeOnPostgres } from '@/lib/db/testing'
import { createHostClient } from '@/lib/host-mode/server/host-client'
import { served, serveHost } from '@/lib/host-mode/server/serve-host'
import { TestHost } from '@/lib/host-mode/testing'
import { type Pooler, startPooler } from '@/test/stand-ins/pooler'
import { LEDGER_CONTRACT, type Ledger } from '../domain/ledger'
import { createFundedAccount, createTestKey, holdInput, USAGE } from '../testing'
import { describeLedgerContract } from '../testing-contract'
import { checkLedger } from './check-ledger'
import { createEmbeddedLedger } from './embedded-ledger'

const token = 'token of the host'

describeOnPostgres('the ledger contract', getDatabase => {
  let embedded: Ledger
  let remote: Ledger
  const host = new TestHost()
  const askedVerbs = new Set<string>()

  beforeAll(async () => {
    embedded = createEmbeddedLedger({ database: getDatabase() })
    const offers = [served(LEDGER_CONTRACT, embedded)]
    host.answerWith((request, verb) => {
      askedVerbs.add(verb)
      return serveHost({ request, verb, token, offers })
    })
    await host.start()
    remote = createHostClient(LEDGER_CONTRACT, { baseUrl: host.baseUrl, token })
  })
  afterAll(() => host.stop())

  describeLedgerContract('kept here', () => embedded)
  describeLedgerContract('kept by a payments host', () => remote)

  test('covers every verb', () => {
    expect([...askedVerbs].sort()).toEqual(Object.keys(LEDGER_CONTRACT.verbs).sort())
  })
})

const PROCESS_COUNT = 4
/** Fewer than the processes’ connections, so that they have to share. */
const SESSION_COUNT = 3

describeOnPostgres('several processes behind a pooler in transaction mode', (_getDatabase, getUrl) => {
  let pooler: Pooler
  let processes: { database: Database; ledger: Ledger }[]
  beforeAll(async () => {
    pooler = await startPooler(getUrl(), SESSION_COUNT)
    const databases = await Promise.all(
      Array.from({ length: PROCESS_COUNT }, () => openDatabaseAt(pooler.url, { directUrl: getUrl() })),
    )
    processes = databases.map(database => ({ database, ledger: createEmbeddedLedger({ database }) }))
  })
  afterAll(async () => {
    await Promise.all(processes.map(({ database }) => database.close()))
    await pooler.stop()
  })
  const processOf = (number: number) => {
    const process = processes[number % PROCESS_COUNT]
    if (!process) throw new Error('There is no process.')
    return process
  }
  const ledgerOf = (number: number) => processOf(number).ledger

  describeLedgerContract('kept behind the pooler', () => ledgerOf(0))

  describe('together', () => {
    test('never spend the same credit twice', async () => {
      const { accountId, credential } = await createFundedAccount(ledgerOf(0), 1_000n)
      const key = await createTestKey(ledgerOf(1), { accountId, usageLimitNano: 400n })
      const results = await Promise.all(
        Array.from({ length: 60 }, async (_, number) => {
          const by = number % 3 === 0 ? key.credential : credential
          const held = await ledgerOf(number).hold(holdInput(by, 100n))
          if (held.outcome !== 'held') return 0n
          const settled = await ledgerOf(number + 1).settle({
            holdId: held.holdId,
            costNano: 70n,
            usage: USAGE,
          })
          return settled.outcome === 'resolved' ? settled.chargedNano : 0n
        }),
      )
      const charged = results.reduce((sum, nano) => sum + nano, 0n)
      expect(await ledgerOf(2).getBalance({ credential })).toMatchObject({
        balanceNano: 1_000n - charged,
        heldNano: 0n,
      })
      expect(charged).toBeGreaterThanOrEqual(700n)
      expect((await ledgerOf(3).getKey({ accountId, keyId: key.keyId }))?.usageNano).toBeLessThanOrEqual(400n)
      expect((await checkLedger({ database: processOf(0).database })).differences).toEqual([])
    })

    test('leave no state in a pooled session that would affect the next process', async () => {
      const left = []
      const { kysely } = processOf(0).database
      for (let number = 0; number < SESSION_COUNT; number += 1) {
        const { rows } = await kysely.executeQuery(
          CompiledQuery.raw(`
            select pg_backend_pid() as pid,
              (select count(*)::int from pg_prepared_statements where name <> '') as statements,
              (select count(*)::int from pg_listening_channels()) as channels,
              (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks,
              (select count(*)::int from pg_class where relpersistence = 't') as tables,
              (select count(*)::int from pg_settings where source = 'session') as settings`),
        )
        left.push(rows[0])
      }
      const nothing = { statements: 0, channels: 0, locks: 0, tables: 0, settings: 0 }
      expect(left).toEqual(Array.from({ length: SESSION_COUNT }, () => expect.objectContaining(nothing)))
      expect(new Set(left.map(row => (row as { pid: number }).pid)).size).toBe(SESSION_COUNT)
    })
  })
})
