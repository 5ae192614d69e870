/** @jest-environment jsdom */
import { afterEach, beforeAll, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react'
import { stubDialogs } from '@/test/support/render'
import { FactorsSection } from './factors-section'
import { PasskeysSection } from './passkeys-section'
import { ADA, renderFor } from './testing'

const removed = jest.fn(async (_: object) => ({ data: {}, error: null }))
const client = Object.assign(Object.create(null), {
  passkey: {
    list: async () => ({
      data: [{ id: 'p1', friendly_name: 'Laptop', created_at: '2026-01-02T03:04:05Z' }],
      error: null,
    }),
    delete: removed,
  },
  mfa: {
    unenroll: removed,
    getAuthenticatorAssuranceLevel: async () => ({
      data: { currentLevel: 'aal2', nextLevel: 'aal2' },
      error: null,
    }),
  },
  onAuthStateChange: () => undefined,
  refreshSession: async () => ({ data: {}, error: null }),
  getUser: async () => ({ data: { user: null }, error: null }),
})
const FACTOR = { id: 'f1', factorType: 'totp', friendlyName: 'Laptop', status: 'verified' } as const

beforeAll(stubDialogs)
afterEach(() => {
  cleanup()
  removed.mockClear()
})

test.each([
  ['passkey', <PasskeysSection key="passkeys" />, { passkeyId: 'p1' }],
  ['second factor', <FactorsSection key="factors" appName="Tuppence" />, { factorId: 'f1' }],
])('a %s is removed only after a confirmation', async (_, section, which) => {
  renderFor({ ...ADA, factors: [FACTOR] }, section, async () => client)
  const ask = async () => fireEvent.click(await screen.findByRole('button', { name: 'Remove Laptop' }))
  const answer = (name: string) =>
    act(async () => {
      const question = screen.getByRole('dialog', { name: 'Remove Laptop?' })
      fireEvent.click(within(question).getByRole('button', { name }))
    })
  await ask()
  await answer('Cancel')
  expect(removed).not.toHaveBeenCalled()
  await ask()
  await answer('Remove')
  expect(removed).toHaveBeenCalledWith(which)
})
