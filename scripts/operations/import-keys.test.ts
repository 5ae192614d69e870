import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { createFundedAccount, createTestKey, hashOf } from '@/lib/ledger/testing'
import { importKeys } from './import-keys'
import type { OperationInput } from './operation'

describeOnPostgres('the import of keys', getDatabase => {
  let ledger: ReturnType<typeof createEmbeddedLedger>
  let directory: string
  beforeAll(async () => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
    directory = await mkdtemp(join(tmpdir(), 'import-keys-'))
  })
  afterAll(() => rm(directory, { recursive: true }))

  const newKey = () => `sk-${randomUUID()}`
  const balanceNano = async (secret: string) =>
    (await ledger.getBalance({ credential: { kind: 'api_key', secretHash: hashOf(secret) } }))?.balanceNano
  async function run(content: string, options: OperationInput['options'] = { reason: 'the old site' }) {
    const path = join(directory, randomUUID())
    await writeFile(path, content)
    const lines: string[] = []
    // The import only needs the ledger; the type includes the other services.
    const services = { ledger } as OperationInput['services']
    const print = (line: string) => void lines.push(line)
    await importKeys.run({ services, words: [path], options, operator: 'ada', print })
    return lines.join('\n')
  }

  test.each([
    ['an amount that is none', 'lots'],
    ['a negative amount', '-1'],
    ['no amount', ''],
    ['a third column', '1,2'],
    ['more than an account can hold', '1000001'],
  ])('with %s on any line imports nothing, and names the line without its secret', async (_case, amount) => {
    const [good, bad] = [newKey(), newKey()]
    const refused = run(`${good},1\n\n${bad},${amount}\n`)
    await expect(refused).rejects.toMatchObject({
      name: 'OperationError',
      message: expect.stringMatching(/^Line 3: /),
    })
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining(bad) })
    expect(await balanceNano(good)).toBeUndefined()
  })

  test('refuses an invalid API key, a repeated key, a missing reason and a missing file', async () => {
    const key = newKey()
    for (const content of [`${randomUUID()},1`, `${key},1\n${key},1`, 'key,balance']) {
      await expect(run(content)).rejects.toMatchObject({ name: 'OperationError' })
    }
    await expect(run(`${key},1`, {})).rejects.toMatchObject({ message: 'Say why: --reason "…"' })
    const services = { ledger } as OperationInput['services']
    const input = { services, options: { reason: 'x' }, operator: 'ada', print: () => {} }
    await expect(importKeys.run({ ...input, words: ['/nowhere'] })).rejects.toMatchObject({
      name: 'OperationError',
    })
    expect(await balanceNano(key)).toBeUndefined()
  })

  test('gives each key its balance, once, however often it runs', async () => {
    const [rich, poor] = [newKey(), newKey()]
    const content = `${rich}, 12.50\r\n${poor},0\r\n`
    expect(await run(content)).toBe('imported 2 of 2 keys with 12.5 USD')
    expect(await run(content)).toBe('imported 0 of 2 keys with 0 USD\nthe others had been imported before')
    expect([await balanceNano(rich), await balanceNano(poor)]).toEqual([12_500_000_000n, 0n])
  })

  test('adds no money to an existing credit', async () => {
    const owner = await createFundedAccount(ledger, 5n)
    const secret = newKey()
    await createTestKey(ledger, { accountId: owner.accountId, secretHash: hashOf(secret) })
    const [before, after] = [newKey(), newKey()]
    await expect(run(`${before},1\n\n${secret},1\n${after},1`)).rejects.toMatchObject({
      name: 'OperationError',
      message: expect.stringMatching(/^Line 3: The key belongs to .* The lines before it are imported\./),
    })
    expect(await balanceNano(secret)).toBe(5n)
    expect([await balanceNano(before), await balanceNano(after)]).toEqual([1_000_000_000n, undefined])
  })
})
