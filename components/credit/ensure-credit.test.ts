/** @jest-environment jsdom */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { creditIdStore } from '@/lib/local/credit-id'
import { type FakeCall, fakeServer, stubLocks } from '@/test/support/render'
import { ensureCredit, replaceUnknownCredit } from './ensure-credit'

let calls: FakeCall[] = []
let makeCreditId: () => unknown = randomUUID

beforeEach(() => {
  stubLocks()
  makeCreditId = randomUUID
  calls = fakeServer(() => ({ json: { credit_id: makeCreditId() } }))
})
afterEach(() => {
  jest.restoreAllMocks()
  localStorage.clear()
})

function fillStorage() {
  jest.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError')
  })
}

test('the credit of this browser is used, and no other one created', async () => {
  const known = randomUUID()
  creditIdStore.write(known)
  expect(await ensureCredit()).toBe(known)
  expect(calls).toEqual([])
})

test('two that need a credit at once get the same new one', async () => {
  const [one, other] = await Promise.all([ensureCredit(), ensureCredit()])
  expect(one).toBe(creditIdStore.getSnapshot())
  expect(other).toBe(one)
  expect(calls).toMatchObject([{ method: 'POST', path: '/accounts/create', body: { with_api_key: false } }])
})

test.each([undefined, 7, 'not a credit'])('%j is stored as no credit', async creditId => {
  makeCreditId = () => creditId
  await expect(ensureCredit()).rejects.toMatchObject({ code: 'unknown' })
  expect(creditIdStore.getSnapshot()).toBeNull()
})

test('a credit that could not be stored is not used', async () => {
  fillStorage()
  await expect(ensureCredit()).rejects.toMatchObject({ code: 'storage_full' })
})

test('a credit that the server does not know is kept aside when another takes its place', async () => {
  const unknown = randomUUID()
  creditIdStore.write(unknown)
  const created = await replaceUnknownCredit(unknown)
  expect(created).not.toBe(unknown)
  expect(creditIdStore.getSnapshot()).toBe(created)
  expect(localStorage.getItem('credit_id.damaged.1')).toBe(unknown)
})

test('a credit that cannot be kept aside is not replaced', async () => {
  const unknown = randomUUID()
  creditIdStore.write(unknown)
  const write = Storage.prototype.setItem
  jest.spyOn(Storage.prototype, 'setItem').mockImplementation(function setItem(this: Storage, key, value) {
    if (key !== 'credit_id') throw new DOMException('full', 'QuotaExceededError')
    write.call(this, key, value)
  })
  await expect(replaceUnknownCredit(unknown)).rejects.toMatchObject({ code: 'storage_full' })
  expect(creditIdStore.getSnapshot()).toBe(unknown)
  expect(calls).toEqual([])
})

test('a credit that another tab has already replaced is left alone', async () => {
  const known = randomUUID()
  creditIdStore.write(known)
  expect(await replaceUnknownCredit(randomUUID())).toBe(known)
  expect(calls).toEqual([])
  expect(localStorage.getItem('credit_id.damaged.1')).toBeNull()
})
