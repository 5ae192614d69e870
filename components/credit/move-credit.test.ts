/** @jest-environment jsdom */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { creditIdStore } from '@/lib/local/credit-id'
import { creditReplacementStore } from '@/lib/local/credit-replacement'
import { type FakeCall, fakeServer } from '@/test/support/render'
import { moveCredit } from './move-credit'

let [old, next] = ['', '']
let leftUsd = 0
let calls: FakeCall[] = []
let whenMoved = () => {}
let isClosed = true

beforeEach(() => {
  ;[old, next] = [randomUUID(), randomUUID()]
  leftUsd = 0
  whenMoved = () => {}
  isClosed = true
  creditIdStore.write(old)
  calls = fakeServer(({ path, method }) => {
    if (method === 'DELETE') return { status: 204 }
    if (path !== '/accounts/merge') return { json: { credit_id: old, amount_usd: leftUsd } }
    whenMoved()
    return { json: { moved_usd: 3, balance_usd: 4, closed: isClosed } }
  })
})
afterEach(() => {
  jest.restoreAllMocks()
  localStorage.clear()
})

const isLinkEnded = () => calls.some(({ method }) => method === 'DELETE')

test('a credit that was emptied makes room for the one that has its money', async () => {
  expect(await moveCredit(old, next)).toBe(3)
  expect(creditIdStore.getSnapshot()).toBe(next)
  expect(isLinkEnded()).toBe(true)
})

test('a credit with money held for an answer stays, and so does its refill link, until the rest was moved', async () => {
  leftUsd = 0.000001
  await expect(moveCredit(old, next)).rejects.toMatchObject({ code: 'credit_in_use' })
  expect(creditIdStore.getSnapshot()).toBe(old)
  expect(isLinkEnded()).toBe(false)
  leftUsd = 0
  await moveCredit(old, next)
  expect(creditIdStore.getSnapshot()).toBe(next)
})

test('money that still follows from a leaked credit is awaited, which would arrive on a credit that is gone', async () => {
  const leaked = randomUUID()
  creditReplacementStore.put({ fromCreditId: leaked, intoCreditId: old, state: 'moving' })
  isClosed = false
  await expect(moveCredit(old, next)).rejects.toMatchObject({ code: 'credit_in_use' })
  expect(creditIdStore.getSnapshot()).toBe(old)
  isClosed = true
  calls.length = 0
  await moveCredit(old, next)
  const merges = calls.filter(({ path }) => path === '/accounts/merge')
  expect(merges.map(({ authorization }) => authorization)).toEqual([`Bearer ${old}`, `Bearer ${next}`])
  expect([creditReplacementStore.getSnapshot()?.state, creditIdStore.getSnapshot()]).toEqual(['done', next])
})

test('a credit that another tab has put in its place meanwhile is not overwritten', async () => {
  const other = randomUUID()
  whenMoved = () => creditIdStore.write(other)
  await expect(moveCredit(old, next)).rejects.toMatchObject({ code: 'conflict' })
  expect(creditIdStore.getSnapshot()).toBe(other)
})

test('that the other credit could not be stored is said', async () => {
  jest.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError')
  })
  await expect(moveCredit(old, next)).rejects.toMatchObject({ code: 'storage_full' })
  expect(creditIdStore.getSnapshot()).toBe(old)
})
