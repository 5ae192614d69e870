/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { creditReplacementStore } from './credit-replacement'
import { CREDIT_REPLACEMENT_KEY } from './storage/storage-keys'

const FROM = '6a1f6a0e-3c55-4c3f-9d0a-0c6b2f0c9e11'
const INTO = '0b5d9e4a-7a41-4b0e-8f43-5f1f5a2d7c22'

function read(stored: unknown) {
  localStorage.setItem(CREDIT_REPLACEMENT_KEY, JSON.stringify(stored))
  creditReplacementStore.refresh()
  return creditReplacementStore.getSnapshot()
}

afterEach(() => localStorage.clear())

test.each([
  { fromCreditId: FROM, intoCreditId: INTO, state: 'prepared' },
  { fromCreditId: FROM, intoCreditId: INTO, state: 'moving' },
  { fromCreditId: FROM, state: 'done' },
])('$state is read as it was stored', stored => {
  expect(read(stored)).toEqual(stored)
})

// What it names would become the credit of this browser, and all money would be moved there.
test.each([
  { fromCreditId: FROM, intoCreditId: `${INTO.slice(0, -1)}x`, state: 'moving' },
  { fromCreditId: FROM, intoCreditId: '', state: 'prepared' },
  { fromCreditId: FROM, state: 'moving' },
  { fromCreditId: 7, intoCreditId: INTO, state: 'moving' },
  { fromCreditId: FROM, intoCreditId: INTO, state: 'moved' },
  [],
])('%j in storage is no replacement', stored => {
  expect(read(stored)).toBeNull()
})
