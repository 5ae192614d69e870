/** @jest-environment jsdom */
import { beforeEach, expect, test } from '@jest/globals'
import { creditIdStore } from '@/lib/local/credit-id'
import { creditReplacementStore } from '@/lib/local/credit-replacement'
import { type FakeCall, fakeServer } from '@/test/support/render'
import {
  dropReplacement,
  finishReplacement,
  prepareReplacement,
  replaceCredit,
} from './replace-leaked-credit'

let old: string
let made: string
/** Dollars of each credit, and what of the old one is held. */
let balances: Map<string, number>
let heldUsd: number
let calls: FakeCall[]
let onMerge: () => { status?: number; json?: unknown } | null

beforeEach(() => {
  localStorage.clear()
  old = crypto.randomUUID()
  made = crypto.randomUUID()
  balances = new Map([
    [old, 3],
    [made, 0],
  ])
  heldUsd = 0
  onMerge = () => null
  calls = fakeServer(({ path, authorization, body }) => {
    if (path === '/accounts/create') return { json: { success: true, credit_id: made, balance: 0 } }
    if (path === '/accounts/merge') {
      const refusal = onMerge()
      if (refusal) return refusal
      expect(body).toEqual({ from_credit_id: old, close: true })
      const into = authorization?.replace('Bearer ', '') ?? ''
      const movedUsd = (balances.get(old) ?? 0) - heldUsd
      balances.set(old, heldUsd)
      balances.set(into, (balances.get(into) ?? 0) + movedUsd)
      return { json: { moved_usd: movedUsd, balance: balances.get(into), closed: heldUsd === 0 } }
    }
    const creditId = path.split('/')[4] ?? ''
    return { json: { credit_id: creditId, amount_usd: balances.get(creditId) } }
  })
  creditIdStore.write(old)
})

const mergeCount = () => calls.filter(({ path }) => path === '/accounts/merge').length
const state = () => creditReplacementStore.getSnapshot()?.state ?? null

test('the new credit is stored before anything moves, and the old one stays in use until then', async () => {
  await prepareReplacement(old)
  expect(creditReplacementStore.getSnapshot()).toEqual({
    fromCreditId: old,
    intoCreditId: made,
    state: 'prepared',
  })
  expect(creditIdStore.getSnapshot()).toBe(old)
  expect(mergeCount()).toBe(0)
})

test('a second press, or another tab, makes no second credit', async () => {
  await prepareReplacement(old)
  await prepareReplacement(old)
  expect(calls.filter(({ path }) => path === '/accounts/create')).toHaveLength(1)
})

test('the balance moves, and the new credit takes the place of the old one', async () => {
  await prepareReplacement(old)
  await replaceCredit()
  expect(creditIdStore.getSnapshot()).toBe(made)
  expect([balances.get(old), balances.get(made)]).toEqual([0, 3])
  expect(state()).toBe('done')
})

test('a person who keeps the old credit has lost nothing', async () => {
  await prepareReplacement(old)
  await dropReplacement()
  await finishReplacement()
  expect([creditIdStore.getSnapshot(), state(), mergeCount()]).toEqual([old, null, 0])
})

test('after a lost connection the new credit is in use, both are kept, and the next attempt moves the money', async () => {
  await prepareReplacement(old)
  onMerge = () => ({ status: 502 })
  await expect(replaceCredit()).rejects.toMatchObject({ code: 'network' })
  expect(creditIdStore.getSnapshot()).toBe(made)
  expect(creditReplacementStore.getSnapshot()).toEqual({
    fromCreditId: old,
    intoCreditId: made,
    state: 'moving',
  })
  // Neither does a new replacement forget them.
  await prepareReplacement(made)
  expect(creditReplacementStore.getSnapshot()?.fromCreditId).toBe(old)
  onMerge = () => null
  await finishReplacement()
  expect(balances.get(made)).toBe(3)
  expect(state()).toBe('done')
})

test('a page that ended between the two writes goes on with the new credit', async () => {
  creditReplacementStore.put({ fromCreditId: old, intoCreditId: made, state: 'moving' })
  await finishReplacement()
  expect(creditIdStore.getSnapshot()).toBe(made)
  expect(balances.get(made)).toBe(3)
})

test('what is held for a running answer follows when it has ended', async () => {
  await prepareReplacement(old)
  heldUsd = 1
  await expect(replaceCredit()).rejects.toMatchObject({ code: 'credit_in_use' })
  expect([balances.get(old), balances.get(made), state()]).toEqual([1, 2, 'moving'])
  heldUsd = 0
  await finishReplacement()
  expect([balances.get(old), balances.get(made), state()]).toEqual([0, 3, 'done'])
  await finishReplacement()
  expect(mergeCount()).toBe(2)
})

test('a credit that another tab has put in its place meanwhile is not touched', async () => {
  await prepareReplacement(old)
  const other = crypto.randomUUID()
  creditIdStore.write(other)
  await expect(replaceCredit()).rejects.toMatchObject({ code: 'conflict' })
  expect([creditIdStore.getSnapshot(), state(), mergeCount()]).toEqual([other, 'prepared', 0])
})

test('an old credit that the server does not know is set aside', async () => {
  await prepareReplacement(old)
  onMerge = () => ({ status: 404, json: { error: { code: 'not_found' } } })
  await replaceCredit()
  expect([creditIdStore.getSnapshot(), state()]).toEqual([made, 'done'])
  expect(localStorage.getItem('credit_id.damaged.1')).toBe(old)
})
