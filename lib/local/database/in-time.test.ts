import 'fake-indexeddb/auto'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { databaseExists } from './database-exists'
import { openBrowserDatabase } from './open-database'

const NEVER = new Promise<never>(() => {})
const SCHEMA = { version: 1, tables: { notes: 'id' } }

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask'] })
})

afterEach(() => {
  jest.useRealTimers()
  jest.restoreAllMocks()
})

test.each([
  ['tells which databases there are', 'databases', () => databaseExists('notes')],
  ['opens one', 'open', () => openBrowserDatabase('notes', SCHEMA)],
] as const)('a browser that never %s is given up', async (_what, name, ask) => {
  jest.spyOn(indexedDB, name).mockImplementation(() => (name === 'open' ? {} : NEVER) as never)
  const asked = ask()
  const given = expect(asked).rejects.toThrow('does not answer')
  await jest.advanceTimersByTimeAsync(15_000)
  await given
})

test('no timer is left behind by a database that opens', async () => {
  const database = await openBrowserDatabase('notes', SCHEMA)
  expect(await databaseExists('notes')).toBe(true)
  expect(jest.getTimerCount()).toBe(0)
  database.close()
})
