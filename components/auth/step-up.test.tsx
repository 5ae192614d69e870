/** @jest-environment jsdom */
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { press, stubDialogs } from '@/test/support/render'
import { FactorsSection } from './factors-section'
import { PasskeysSection } from './passkeys-section'
import { ProfileSection } from './profile-section'
import { ADA, renderFor } from './testing'

beforeAll(stubDialogs)
afterEach(cleanup)

const FACTOR = { id: 'f1', factorType: 'totp', friendlyName: 'Laptop', status: 'verified' } as const
const DONE = { data: {}, error: null }

/** A service that changes nothing before the second factor is confirmed; its calls are those that changed something. */
function guardedService() {
  const changed: string[] = []
  let level = 'aal1'
  const guarded = (what: string) => async () => {
    if (level === 'aal1') return { data: null, error: { name: 'AuthApiError', code: 'insufficient_aal' } }
    changed.push(what)
    return DONE
  }
  const client = Object.assign(Object.create(null), {
    passkey: {
      list: async () => ({
        data: [{ id: 'p1', friendly_name: 'Phone', created_at: '2026-01-02' }],
        error: null,
      }),
      delete: guarded('passkey removed'),
    },
    registerPasskey: guarded('passkey added'),
    updateUser: guarded('profile changed'),
    mfa: {
      challenge: async () => ({ data: { id: 'challenge' }, error: null }),
      verify: async () => {
        level = 'aal2'
        return DONE
      },
      unenroll: guarded('factor removed'),
      getAuthenticatorAssuranceLevel: async () => ({
        data: { currentLevel: level, nextLevel: 'aal2' },
        error: null,
      }),
    },
    onAuthStateChange: () => undefined,
    refreshSession: async () => DONE,
    getUser: async () => ({ data: { user: null }, error: null }),
  })
  return { changed, client }
}

async function addPasskey(): Promise<void> {
  await screen.findByRole('button', { name: 'Add a passkey' })
  await press('Add a passkey')
}

async function removeByName(name: string): Promise<void> {
  fireEvent.click(await screen.findByRole('button', { name }))
  await press('Remove')
}

async function saveName(): Promise<void> {
  fireEvent.change(screen.getByRole('textbox', { name: 'Name' }), { target: { value: 'Ada' } })
  await press('Save')
}

const STEPS = [
  ['passkey added', <PasskeysSection key="1" />, addPasskey],
  ['passkey removed', <PasskeysSection key="2" />, () => removeByName('Remove Phone')],
  ['factor removed', <FactorsSection key="3" appName="Tuppence" />, () => removeByName('Remove Laptop')],
  ['profile changed', <ProfileSection key="4" />, saveName],
] as const

test.each(STEPS)(
  '%s: the second factor is asked for, and what it was for happens then',
  async (what, section, begin) => {
    const { changed, client } = guardedService()
    renderFor({ ...ADA, factors: [FACTOR] }, section, async () => client)
    await begin()
    await screen.findByRole('group', { name: 'Confirm it is you' })
    expect(changed).toEqual([])
    fireEvent.change(screen.getByRole('textbox', { name: 'Code' }), { target: { value: '123456' } })
    await press('Confirm')
    expect(changed).toEqual([what])
    expect(screen.queryByRole('group', { name: 'Confirm it is you' })).toBeNull()
  },
)

test.each(STEPS)('%s: nothing happens if the second factor is not confirmed', async (_, section, begin) => {
  const { changed, client } = guardedService()
  renderFor({ ...ADA, factors: [FACTOR] }, section, async () => client)
  await begin()
  await screen.findByRole('group', { name: 'Confirm it is you' })
  await press('Cancel')
  expect(screen.queryByRole('group', { name: 'Confirm it is you' })).toBeNull()
  expect(changed).toEqual([])
})

test('what is typed while the second factor is asked for is neither saved nor lost', async () => {
  const { changed, client } = guardedService()
  renderFor({ ...ADA, factors: [FACTOR] }, <ProfileSection />, async () => client)
  await saveName()
  fireEvent.change(screen.getByRole('textbox', { name: 'Name' }), { target: { value: 'Ada L.' } })
  fireEvent.change(screen.getByRole('textbox', { name: 'Code' }), { target: { value: '123456' } })
  await press('Confirm')
  expect(changed).toEqual(['profile changed'])
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('Ada L.')
})
