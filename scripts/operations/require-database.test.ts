import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { runScript } from '@/test/support/run-script'
import { requireDatabase } from './require-database'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tuppence-commands-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

test.each([
  ['scripts/ledger-check.ts', []],
  ['scripts/ops.ts', ['check']],
])(
  '%s without the settings of the site says so, instead of finding that an empty database balances',
  async (program, words) => {
    // With the caches of a site whose database is elsewhere.
    mkdirSync(join(directory, 'catalogue'))
    const { exitCode, output } = await runScript(directory, program, ...words)
    expect(exitCode).not.toBe(0)
    expect(output).toBe('')
    expect(readdirSync(directory)).toEqual(['catalogue'])
  },
)

test('without a database, a command asks for the settings of the site', () => {
  const refused = () => requireDatabase({ url: null, dataDirectory: directory })
  expect(refused).toThrow(`There is no database in ${directory}, and DATABASE_URL is not set.`)
  mkdirSync(join(directory, 'postgres'))
  expect(refused).not.toThrow()
  requireDatabase({ url: 'postgres://db.example/site', dataDirectory: join(directory, 'missing') })
})
