import { describe, expect, test } from '@jest/globals'
import { wave } from '@/test/stand-ins/sounds'
import type { Step } from '@/test/stand-ins/upstream-script'
import { expectNoCentLost } from './books'
import { readText } from './caller'
import { describeSite, HOSTS } from './site'

const WORDS: Step[] = [{ type: 'text', text: 'Ho ', times: 20 }]

describe.each(HOSTS)('calls to an honest host of the kind %s', host => {
  describeSite('cost what the host bills', { host }, site => {
    test.each([true, false])('a chat with stream %s', async stream => {
      site.upstream.setScript({ chat: { steps: WORDS } })
      const customer = await site.fund(1)
      const text = await readText(customer.chat({ stream }))
      expect(text).toContain('Ho ')
      const books = await site.books()
      expectNoCentLost(books)
      expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
      expect(books.alarms.filter(line => !line.startsWith('catalogue: '))).toEqual([])
      expect(books.billedNano).toBeGreaterThan(0n)
    })

    test('pictures, sound and a recording', async () => {
      const customer = await site.fund(1)
      expect((await customer.draw({ n: 2 })).status).toBe(200)
      expect((await readText(customer.speak())).length).toBeGreaterThan(100)
      expect((await customer.transcribe(new Uint8Array(wave(8).bytes))).status).toBe(200)
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.bills).toHaveLength(3)
      expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n, alarms: [] })
      expect(await customer.balanceUsd()).toBeCloseTo(1 - Number(books.billedNano) / 1e9, 9)
    })
  })
})
