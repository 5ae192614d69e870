/** @jest-environment jsdom */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import type { AuthBrowserClient } from '@/lib/auth/client/browser-client'
import { creditIdFirstSegment, creditIdStore } from '@/lib/local/credit-id'
import { creditReplacementStore } from '@/lib/local/credit-replacement'
import { PENDING_EXCHANGES_KEY } from '@/lib/local/storage/storage-keys'
import { fakeServer, press } from '@/test/support/render'
import { SignOutSection } from './sign-out-section'
import { ADA, renderFor } from './testing'

const OWN = '11111111-1111-4111-8111-111111111111'
const LINKED = '22222222-2222-4222-8222-222222222222'

let signedOut: string[]
let requestCount = 0
/** The service's answer to signing out. */
let answer: Promise<{ error: { code: string } | null }>

beforeEach(() => {
  answer = Promise.resolve({ error: null })
  signedOut = []
  requestCount = 0
})

afterEach(() => {
  cleanup()
  localStorage.clear()
})

/** Renders the section for a person whose account has this credit linked; a number is the status of a refusal. */
function show(linked: string | null | number, canLinkCredit = true): void {
  globalThis.fetch = async () => {
    requestCount += 1
    const status = typeof linked === 'number' ? linked : 200
    const body = { credit_id: linked, state: linked === null ? 'none' : 'found' }
    return Object.assign(Object.create(null), { ok: status === 200, status, json: async () => body })
  }
  const client = {
    onAuthStateChange: () => undefined,
    signOut: async ({ scope }: { scope: string }) => {
      signedOut.push(scope)
      return answer
    },
  }
  // Only the part of the library that signing out uses.
  renderFor(ADA, <SignOutSection canLinkCredit={canLinkCredit} />, async () =>
    Object.assign(Object.create(null) as AuthBrowserClient, client),
  )
}

const radios = () => screen.getAllByRole<HTMLInputElement>('radio')

describe('signing out with a credit in the browser', () => {
  test('asks what to do with a linked credit, with removing it preselected', async () => {
    creditIdStore.write(OWN)
    show(OWN)
    await press('Sign out')
    expect(signedOut).toEqual([])
    expect(radios().map(radio => [radio.labels?.[0]?.textContent, radio.checked])).toEqual([
      ['Remove it from this browser', true],
      ['Leave it here', false],
    ])
    expect(screen.getByRole('status').textContent).toMatch(/signing in brings it back/)
    await press('Sign out')
    expect(signedOut).toEqual(['local'])
    expect(creditIdStore.getSnapshot()).toBeNull()
    expect(JSON.stringify({ ...localStorage })).not.toContain(OWN)
  })

  test('does not forget it while money of a leaked one still follows to it', async () => {
    creditIdStore.write(OWN)
    creditReplacementStore.put({ fromCreditId: LINKED, intoCreditId: OWN, state: 'moving' })
    show(OWN)
    await press('Sign out')
    let closed = false
    fakeServer(() => ({ json: { moved_usd: 0, balance_usd: 1, closed } }))
    await press('Sign out')
    expect((await screen.findByRole('alert')).textContent).toMatch(/still on its way to this one/)
    expect([signedOut, creditIdStore.getSnapshot()]).toEqual([[], OWN])
    closed = true
    await press('Sign out')
    await waitFor(() => expect([signedOut, creditIdStore.getSnapshot()]).toEqual([['local'], null]))
  })

  test('says that an answer in progress may lose its rest, if the credit is removed', async () => {
    creditIdStore.write(OWN)
    const ids = { conversationId: 'c', messageId: 'm', idempotencyKey: 'i', resumeKey: 'r', exchangeId: 'e' }
    const pending = { ...ids, creditSegment: creditIdFirstSegment(OWN), startedAtMs: Date.now() }
    localStorage.setItem(PENDING_EXCHANGES_KEY, JSON.stringify([pending]))
    show(OWN)
    const hint = () => screen.getByRole('status').textContent
    expect(hint()).toBe('')
    await press('Sign out')
    expect(hint()).toMatch(/signing in brings it back.* An answer is still being written/)
    fireEvent.click(screen.getByRole('radio', { name: 'Leave it here' }))
    expect(hint()).not.toContain('An answer')
  })

  test('keeps the credit if the person chooses that', async () => {
    creditIdStore.write(OWN)
    show(OWN)
    await press('Sign out everywhere')
    fireEvent.click(screen.getByRole('radio', { name: 'Leave it here' }))
    await press('Sign out everywhere')
    expect(signedOut).toEqual(['global'])
    expect(creditIdStore.getSnapshot()).toBe(OWN)
  })

  test('keeps a credit that has taken the place of the linked one since it asked', async () => {
    creditIdStore.write(OWN)
    show(OWN)
    await press('Sign out')
    act(() => void creditIdStore.write(LINKED))
    expect(screen.getByRole('radio', { name: 'Leave it here', checked: true })).toBeDefined()
    await press('Sign out')
    expect(signedOut).toEqual(['local'])
    expect(creditIdStore.getSnapshot()).toBe(LINKED)
  })

  test.each([
    ['does not answer', new Promise<never>(() => {})],
    ['refuses', Promise.resolve({ error: { code: 'unexpected_failure' } })],
  ])('removes the credit from this browser even if the service %s', async (_what, given) => {
    creditIdStore.write(OWN)
    creditReplacementStore.put({ fromCreditId: LINKED, state: 'done' })
    show(OWN)
    answer = given
    fireEvent.click(screen.getByRole('radio', { name: 'Remove it from this browser' }))
    await press('Sign out')
    expect(signedOut).toEqual(['local'])
    expect(creditIdStore.getSnapshot()).toBeNull()
  })

  test('keeps the credit if the other sessions could not be ended, because this one goes on', async () => {
    creditIdStore.write(OWN)
    show(OWN)
    answer = Promise.resolve({ error: { code: 'unexpected_failure' } })
    fireEvent.click(screen.getByRole('radio', { name: 'Remove it from this browser' }))
    await press('Sign out everywhere')
    expect(creditIdStore.getSnapshot()).toBe(OWN)
  })

  test.each([
    ['another one is linked', LINKED],
    ['none is linked', null],
    ['the second factor is asked for', 403],
    ['nobody answers', 502],
  ])('keeps the credit without asking when %s', async (_, linked) => {
    creditIdStore.write(OWN)
    show(linked)
    await press('Sign out')
    expect(signedOut).toEqual(['local'])
    expect(creditIdStore.getSnapshot()).toBe(OWN)
  })

  test('sends no request when a choice was made, there is no credit, or linking is off', async () => {
    show(OWN)
    await press('Sign out')
    cleanup()
    creditIdStore.write(OWN)
    show(OWN, false)
    await press('Sign out')
    cleanup()
    show(OWN)
    fireEvent.click(screen.getByRole('radio', { name: 'Remove it from this browser' }))
    await press('Sign out')
    expect(requestCount).toBe(0)
    expect(signedOut).toEqual(['local', 'local', 'local'])
    expect(creditIdStore.getSnapshot()).toBeNull()
  })
})
