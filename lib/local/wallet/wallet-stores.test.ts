import { beforeEach, expect, test } from '@jest/globals'
import { createFakeBrowser } from '../testing'
import { createWalletRecord } from './wallet-stores'

const KEY = 'walletTopUps'

/** Locks as in a browser: exclusive ones in turn, shared ones together, and all of them visible at once. */
function fakeLocks() {
  const held: { name: string }[] = []
  const turns = new Map<string, Promise<unknown>>()
  return {
    async request(name: string, ...rest: unknown[]) {
      const run = rest.at(-1) as () => Promise<unknown>
      const hold = async () => {
        const lock = { name }
        held.push(lock)
        try {
          return await run()
        } finally {
          held.splice(held.indexOf(lock), 1)
        }
      }
      if (rest.length > 1) return hold()
      const turn = (turns.get(name) ?? Promise.resolve()).then(hold)
      turns.set(
        name,
        turn.catch(() => undefined),
      )
      return turn
    },
    query: async () => ({ held: [...held] }),
  }
}

beforeEach(() => {
  Object.defineProperty(globalThis, 'navigator', { value: { locks: fakeLocks() }, configurable: true })
})

const paying = () => ({ current: 'paying' })

test('a tab with an outdated value changes nothing', async () => {
  const browser = createFakeBrowser(undefined, { isLagging: true })
  const one = createWalletRecord(browser.openTab().storage)
  const other = createWalletRecord(browser.openTab().storage)
  expect(await one.change(() => ({ current: 'warned' }))).toBe(true)
  browser.deliver()
  expect(await one.change(paying)).toBe(true)
  expect(JSON.parse(other.getSnapshot() ?? '')).toMatchObject({ current: 'warned' })
  expect(await other.change(paying)).toBe(false)
  browser.deliver()
  expect(await other.change(() => ({ current: 'paid' }))).toBe(true)
})

test('with two tabs in parallel, the second starts from the first one’s value', async () => {
  const browser = createFakeBrowser()
  const tabs = [createWalletRecord(browser.openTab().storage), createWalletRecord(browser.openTab().storage)]
  const payOnce = (state: unknown) => (Object(state).current === 'paying' ? null : paying())
  expect(await Promise.all(tabs.map(tab => tab.change(payOnce)))).toEqual([true, false])
})

test('a write to a full disk is reported as failed', async () => {
  const record = createWalletRecord(createFakeBrowser(10).openTab().storage)
  expect(await record.change(paying)).toBe(false)
  expect(record.getSnapshot()).toBeNull()
})

test('a damaged value is replaced', async () => {
  const browser = createFakeBrowser()
  browser.area.setItem(KEY, '{"revision":"x"')
  const record = createWalletRecord(browser.openTab().storage)
  expect(await record.change(state => ({ was: state ?? null }))).toBe(true)
  expect(JSON.parse(browser.area.getItem(KEY) ?? '')).toEqual({ was: null, revision: 1 })
})
