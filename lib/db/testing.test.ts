import { afterAll, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { describeOnPostgres } from './testing'

describeOnPostgres('a database of tests', getDatabase => {
  const ask = async () => (await sql`select 1 as one`.execute(getDatabase().kysely)).rows
  const expectToAnswer = async () => expect(await ask()).toEqual([{ one: 1 }])
  test('answers them', expectToAnswer)
  afterAll(expectToAnswer)
})
