import { describe, expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { claimMoney, OtherMoneyError } from './claim-money'

describe.each([
  { first: 'pretend', other: 'real', sentence: 'the current settings would treat it as real' },
  { first: 'real', other: 'pretend', sentence: 'which creates money from nothing' },
] as const)('a database first started with $first money', ({ first, other, sentence }) => {
  describeOnPostgres('', getDatabase => {
    test('refuses every start with the other kind of money, and says what to do', async () => {
      await Promise.all(Array.from({ length: 5 }, () => claimMoney(getDatabase(), first)))
      await claimMoney(getDatabase(), first)
      const refused = claimMoney(getDatabase(), other)
      await expect(refused).rejects.toBeInstanceOf(OtherMoneyError)
      await expect(refused).rejects.toThrow(sentence)
      await expect(refused).rejects.toThrow('another DATABASE_URL, or another DATA_DIR')
      await claimMoney(getDatabase(), first)
    })
  })
})
