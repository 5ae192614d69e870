/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { act, cleanup, screen } from '@testing-library/react'
import type { AuthBrowserClient } from '@/lib/auth/client/browser-client'
import type { AuthUser } from '@/lib/auth/domain/auth-user'
import { creditIdStore } from '@/lib/local/credit-id'
import { press } from '@/test/support/render'
import { AccountAuthSections } from './account-auth-sections'
import { ADA, renderFor } from './testing'

const LINKED = '22222222-2222-4222-8222-222222222222'

/** What the library announces, in this tab or from another one. */
let announce: (event: string, userId: string | null) => Promise<void>
/** Where the service sends the person's codes. */
let mailedTo: string

beforeEach(() => {
  mailedTo = 'ada@example.com'
  globalThis.fetch = async () =>
    Object.assign(Object.create(null), {
      ok: true,
      status: 200,
      json: async () => ({ credit_id: LINKED, state: 'found' }),
    })
})

afterEach(() => {
  cleanup()
  window.history.replaceState(null, '', '/')
  creditIdStore.remove()
})

async function show(user: AuthUser | null, initialError: string | null): Promise<void> {
  const client = {
    onAuthStateChange: (listen: (event: string, session: object | null) => void) => {
      announce = (event, userId) => act(async () => listen(event, userId === null ? null : sessionOf(userId)))
    },
    getSession: async () => ({ data: { session: null }, error: null }),
    getUserIdentities: async () => ({
      data: { identities: [{ identity_id: 'i1', provider: 'email', identity_data: { email: mailedTo } }] },
      error: null,
    }),
    passkey: { list: async () => ({ data: [], error: null }) },
  }
  const sections = <AccountAuthSections appName="Tuppence" canLinkCredit initialError={initialError} />
  const store = renderFor(user, sections, async () =>
    Object.assign(Object.create(null) as AuthBrowserClient, client),
  )
  await act(async () => {
    await store.client()
  })
}

/** Only the part of a session that is read. */
function sessionOf(id: string): object {
  return { user: { id, email: `${id}@example.com` } }
}

test('what one person’s account has linked is not shown to the next', async () => {
  await show(ADA, null)
  await press('Show what is linked')
  expect(screen.getByText('A credit is linked to your account; this browser has none.')).toBeDefined()
  await announce('SIGNED_IN', 'user-2')
  expect(screen.getByText('Signed in as user-2@example.com')).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Use the linked credit here' })).toBeNull()
})

test('a credit that is unlinked after the question what to do with it is kept on signing out', async () => {
  creditIdStore.write(LINKED)
  await show(ADA, null)
  await press('Sign out')
  expect(screen.getByRole('radio', { name: 'Remove it from this browser', checked: true })).toBeDefined()
  await press('Show what is linked')
  await press('Unlink')
  expect(screen.getByRole('radio', { name: 'Leave it here', checked: true })).toBeDefined()
})

test('whoever signed in by a link in the mail is not asked for its code after signing out', async () => {
  sessionStorage.setItem('signInAddress', 'ada@example.com')
  await show(ADA, null)
  await announce('SIGNED_OUT', null)
  expect(screen.getByRole('textbox', { name: 'Email address' })).toBeDefined()
})

test('once an address is changed, the ways to sign in have the new one', async () => {
  await show(ADA, null)
  expect(await screen.findByText('ada@example.com')).toBeDefined()
  mailedTo = 'user-1@example.com'
  await announce('USER_UPDATED', ADA.id)
  expect(await screen.findByText('user-1@example.com')).toBeDefined()
  expect(screen.queryByText('ada@example.com')).toBeNull()
})

const ELSEWHERE = 'Open the link in the browser where you asked for it, or enter the code there.'

test('why an earlier sign-in failed is no longer said once somebody has signed in', async () => {
  window.history.replaceState(null, '', '/account?tab=1&auth_error=linkElsewhere')
  await show(null, 'linkElsewhere')
  expect(screen.getByText(ELSEWHERE)).toBeDefined()
  expect(window.location.search).toBe('?tab=1')
  await announce('SIGNED_IN', 'user-1')
  expect(screen.getByText('Signed in as user-1@example.com')).toBeDefined()
  expect(screen.queryByText(ELSEWHERE)).toBeNull()
})

test('why an identity could not be linked is said to the person who is signed in', async () => {
  await show(ADA, 'identityTaken')
  await announce('TOKEN_REFRESHED', ADA.id)
  expect(screen.getByText('This is linked to an account already.')).toBeDefined()
})

test('that an earlier session has ended is not said to whoever is signed in', async () => {
  const ended = 'Your session has ended. Sign in again.'
  await show(ADA, 'sessionEnded')
  expect(screen.getByText('Signed in as ada@example.com')).toBeDefined()
  expect(screen.queryByText(ended)).toBeNull()
  cleanup()
  await show(null, 'sessionEnded')
  expect(screen.getByText(ended)).toBeDefined()
})
