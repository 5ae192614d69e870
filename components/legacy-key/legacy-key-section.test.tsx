/** @jest-environment jsdom */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { act, cleanup, screen } from '@testing-library/react'
import { creditIdStore } from '@/lib/local/credit-id'
import { type FakeCall, fakeServer, press, renderInEnglish, stubDialogs } from '@/test/support/render'
import { LegacyKeySection } from './legacy-key-section'

const API_KEY = `sk-${'a'.repeat(32)}`
const CREDIT_ID = '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01'

let calls: FakeCall[]
/** The balance of the key; null if the server does not know it. */
let keyUsd: number | null
let leftUsd: number
let refusal: { status: number; code: string } | null

beforeEach(() => {
  stubDialogs()
  keyUsd = 1.25
  leftUsd = 0
  refusal = null
  calls = fakeServer(({ path }) => {
    if (path === '/accounts/create') return { json: { credit_id: CREDIT_ID } }
    if (path === '/accounts/merge') {
      if (refusal) return { status: refusal.status, json: { error: { code: refusal.code } } }
      const movedUsd = (keyUsd ?? 0) - leftUsd
      keyUsd = leftUsd
      return { json: { moved_usd: movedUsd, balance: movedUsd } }
    }
    if (path === '/credits/balance') {
      return keyUsd === null
        ? { status: 401, json: { error: { code: 'invalid_credential' } } }
        : { json: { balance: keyUsd } }
    }
    return { json: { credit_id: CREDIT_ID, amount_usd: 1.25 } }
  })
})

afterEach(() => {
  cleanup()
  localStorage.clear()
  creditIdStore.refresh()
})

async function renderWith(entry: string): Promise<void> {
  localStorage.setItem('virtual_api_key', entry)
  await act(async () => void renderInEnglish(<LegacyKeySection />))
}
const keptKey = () => localStorage.getItem('virtual_api_key')

describe('an API key of an earlier version in the browser', () => {
  test.each(['', 'sk-short', '{"broken'])('is ignored if the entry is %j', async entry => {
    await renderWith(entry)
    expect(screen.queryByRole('heading')).toBeNull()
    expect(calls).toEqual([])
  })

  test('is recognised, and shown with its balance', async () => {
    await renderWith(API_KEY)
    expect(calls).toMatchObject([{ path: '/credits/balance', authorization: `Bearer ${API_KEY}` }])
    expect(screen.getByText(/It holds \$1\.25/)).toBeDefined()
  })

  test('is turned into a new credit, and then removed', async () => {
    await renderWith(API_KEY)
    await press('Turn into credit')
    expect(calls.find(call => call.path === '/accounts/merge')).toMatchObject({
      authorization: `Bearer ${CREDIT_ID}`,
      body: { from_api_key: API_KEY },
    })
    expect(creditIdStore.getSnapshot()).toBe(CREDIT_ID)
    expect(keptKey()).toBeNull()
    expect(screen.queryByRole('heading')).toBeNull()
  })

  test('is merged into an existing credit', async () => {
    const creditId = '11111111-2222-4333-8444-555555555555'
    creditIdStore.write(creditId)
    await renderWith(API_KEY)
    await press('Turn into credit')
    expect(calls.map(call => call.path)).not.toContain('/accounts/create')
    expect(calls.find(call => call.path === '/accounts/merge')).toMatchObject({
      authorization: `Bearer ${creditId}`,
      body: { from_api_key: API_KEY },
    })
    expect(keptKey()).toBeNull()
  })

  test('stays while an answer still holds a part of its balance', async () => {
    leftUsd = 0.25
    await renderWith(API_KEY)
    await press('Turn into credit')
    expect(screen.getByText(/still being written/)).toBeDefined()
    expect(keptKey()).toBe(API_KEY)
  })

  test.each([
    ['that belongs to another credit', { status: 403, code: 'forbidden' }, /only the credit key can move/],
    ['that belongs to this credit', { status: 409, code: 'conflict' }, /already spends from the credit/],
    ['while the ledger is unavailable', { status: 503, code: 'ledger_unavailable' }, /Your credit is safe/],
  ])('%s stays, and the reason is shown', async (_case, answer, sentence) => {
    refusal = answer
    await renderWith(API_KEY)
    await press('Turn into credit')
    expect(screen.getByText(sentence)).toBeDefined()
    expect(keptKey()).toBe(API_KEY)
  })

  test('with a balance is removed only after a confirmation', async () => {
    await renderWith(API_KEY)
    await press('Remove from this browser')
    expect(keptKey()).toBe(API_KEY)
    await press('Remove key')
    expect(keptKey()).toBeNull()
  })

  test('that is empty cannot be turned into credit, and is removed at once', async () => {
    keyUsd = 0
    await renderWith(API_KEY)
    expect(screen.queryByRole('button', { name: 'Turn into credit' })).toBeNull()
    await press('Remove from this browser')
    expect(keptKey()).toBeNull()
  })

  test('that is unknown to the server says so, and is removed only after a confirmation', async () => {
    keyUsd = null
    await renderWith(API_KEY)
    expect(screen.getByText(/not known here/)).toBeDefined()
    await press('Remove from this browser')
    expect(keptKey()).toBe(API_KEY)
  })
})
