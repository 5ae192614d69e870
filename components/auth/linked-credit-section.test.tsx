/** @jest-environment jsdom */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react'
import { creditIdFirstSegment, creditIdStore } from '@/lib/local/credit-id'
import { creditReplacementStore } from '@/lib/local/credit-replacement'
import { PENDING_EXCHANGES_KEY } from '@/lib/local/storage/storage-keys'
import { press, stubDialogs } from '@/test/support/render'
import { LinkedCreditSection } from './linked-credit-section'
import { ADA, renderFor } from './testing'

const OWN = '11111111-1111-4111-8111-111111111111'
const LINKED = '22222222-2222-4222-8222-222222222222'

let answers: { status: number; body: object }[]
let sent: { method: string; body: unknown }[]

beforeAll(stubDialogs)
beforeEach(() => {
  answers = []
  sent = []
  globalThis.fetch = async (_, init) => {
    sent.push({ method: init?.method ?? 'GET', body: init?.body ? JSON.parse(String(init.body)) : null })
    const { status, body } = answers.shift() ?? { status: 500, body: {} }
    return Object.assign(Object.create(null), { ok: status < 400, status, json: async () => body })
  }
})

afterEach(() => {
  cleanup()
  localStorage.clear()
})

/** In the dialog that asks. */
async function confirm(name: string): Promise<void> {
  await act(async () => {
    fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name }))
  })
}

const none = { status: 200, body: { credit_id: null, state: 'none' } }
const found = (creditId: string) => ({ status: 200, body: { credit_id: creditId, state: 'found' } })

describe('the linked-credit section', () => {
  test('sends no request before the person asks to see the linked credit', () => {
    renderFor(ADA, <LinkedCreditSection />)
    expect(sent).toEqual([])
  })

  test('links the credit of this browser to the account', async () => {
    creditIdStore.write(OWN)
    renderFor(ADA, <LinkedCreditSection />)
    answers = [none, found(OWN)]
    await press('Show what is linked')
    await press('Link this browser’s credit')
    expect(sent.at(-1)).toEqual({ method: 'POST', body: { credit_id: OWN, replaces: null } })
    expect(screen.getByRole('status').textContent).toBe(
      'The credit in this browser is linked to your account.',
    )
  })

  test('warns of losing the linked money, and names the credit to replace in the request', async () => {
    creditIdStore.write(OWN)
    renderFor(ADA, <LinkedCreditSection />)
    answers = [found(LINKED), found(OWN)]
    await press('Show what is linked')
    expect(screen.getByText(/its money is lost/)).toBeDefined()
    await press('Link this browser’s credit instead')
    expect(sent).toHaveLength(1)
    expect(screen.getByText(/its recovery words were not kept, its money is lost/)).toBeDefined()
    await confirm('Link this browser’s credit instead')
    expect(sent.at(-1)?.body).toEqual({ credit_id: OWN, replaces: LINKED })
  })

  test('moves nothing back to a credit that leaked and was replaced, and links the new one at once', async () => {
    creditIdStore.write(OWN)
    creditReplacementStore.put({ fromCreditId: LINKED, state: 'done' })
    renderFor(ADA, <LinkedCreditSection />)
    answers = [found(LINKED), found(OWN)]
    await press('Show what is linked')
    expect(screen.getByRole('status').textContent).toMatch(/is the one that you replaced/)
    expect(screen.getAllByRole('button').map(button => button.textContent)).toEqual([
      'Link this browser’s credit instead',
      'Unlink',
    ])
    await press('Link this browser’s credit instead')
    expect(sent.at(-1)?.body).toEqual({ credit_id: OWN, replaces: LINKED })
  })

  test('asks before it unlinks a credit that this browser does not have', async () => {
    renderFor(ADA, <LinkedCreditSection />)
    answers = [found(LINKED), none]
    await press('Show what is linked')
    await press('Unlink')
    await confirm('Cancel')
    expect(sent).toHaveLength(1)
    await press('Unlink')
    await confirm('Unlink')
    expect(sent.at(-1)).toEqual({ method: 'DELETE', body: { credit_id: LINKED } })
  })

  test('asks before the linked credit takes the place of this browser’s', async () => {
    creditIdStore.write(OWN)
    renderFor(ADA, <LinkedCreditSection />)
    answers = [found(LINKED)]
    await press('Show what is linked')
    await press('Use the linked credit here')
    expect(creditIdStore.getSnapshot()).toBe(OWN)
    expect(screen.getByRole('dialog').textContent).toContain('Payments that are still open')
    await confirm('Use the linked credit here')
    expect(creditIdStore.getSnapshot()).toBe(LINKED)
  })

  test('says beforehand that money of a leaked credit is still on its way to the one that is replaced', async () => {
    creditIdStore.write(OWN)
    const leaked = '33333333-3333-4333-8333-333333333333'
    creditReplacementStore.put({ fromCreditId: leaked, intoCreditId: OWN, state: 'moving' })
    renderFor(ADA, <LinkedCreditSection />)
    answers = [found(LINKED)]
    await press('Show what is linked')
    await press('Use the linked credit here')
    expect(screen.getByRole('dialog').textContent).toContain('is still on its way to the one that is here')
  })

  test('says beforehand that an answer in progress may lose its rest', async () => {
    creditIdStore.write(OWN)
    const ids = { conversationId: 'c', messageId: 'm', idempotencyKey: 'i', resumeKey: 'r', exchangeId: 'e' }
    const pending = { ...ids, creditSegment: creditIdFirstSegment(OWN), startedAtMs: Date.now() }
    localStorage.setItem(PENDING_EXCHANGES_KEY, JSON.stringify([pending]))
    renderFor(ADA, <LinkedCreditSection />)
    answers = [found(LINKED)]
    await press('Show what is linked')
    await press('Use the linked credit here')
    expect(screen.getByRole('dialog').textContent).toContain('An answer is still being written')
  })

  test('does not put the linked credit in the place of one that another tab has made meanwhile', async () => {
    renderFor(ADA, <LinkedCreditSection />)
    answers = [found(LINKED)]
    await press('Show what is linked')
    // Whose event has not arrived here yet.
    localStorage.setItem('credit_id', OWN)
    await press('Use the linked credit here')
    expect(creditIdStore.getSnapshot()).toBe(OWN)
    expect(
      screen.getByText('The credit linked to your account is not the one in this browser.'),
    ).toBeDefined()
  })

  test('puts the linked credit into a browser that has none', async () => {
    renderFor(ADA, <LinkedCreditSection />)
    answers = [found(LINKED)]
    await press('Show what is linked')
    await press('Use the linked credit here')
    expect(creditIdStore.getSnapshot()).toBe(LINKED)
  })

  const merged = { status: 200, body: { moved_usd: 2, balance: 5 } }
  const rest = (amountUsd: number) => ({ status: 200, body: { credit_id: OWN, amount_usd: amountUsd } })
  async function moveBoth(...then: typeof answers): Promise<void> {
    creditIdStore.write(OWN)
    renderFor(ADA, <LinkedCreditSection />)
    answers = [found(LINKED), ...then]
    await press('Show what is linked')
    await press('Move both into one')
  }

  test('moves the balance of this browser’s credit to the linked one, which then takes its place', async () => {
    await moveBoth(merged, rest(0), { status: 200, body: { revoked: true } })
    expect(sent[1]).toEqual({ method: 'POST', body: { from_credit_id: OWN } })
    expect(creditIdStore.getSnapshot()).toBe(LINKED)
    expect(screen.getByText('$2.00 moved to the linked credit.')).toBeDefined()
    expect(screen.queryByRole('button', { name: 'Move both into one' })).toBeNull()
  })

  test.each([
    ['is moved to', () => moveBoth(merged, rest(0), { status: 200, body: { revoked: true } }, none)],
    [
      'gives its place to',
      async () => {
        renderFor(ADA, <LinkedCreditSection />)
        answers = [found(LINKED), none]
        await press('Show what is linked')
        await press('Use the linked credit here')
      },
    ],
  ])('a credit that %s one that was unlinked meanwhile is not said to be linked', async (_what, take) => {
    await take()
    expect(creditIdStore.getSnapshot()).toBe(LINKED)
    expect(screen.getByText('No credit is linked to your account.')).toBeDefined()
  })

  test.each([
    ['part of it is held for an answer', [merged, rest(0.5)], /Try again when the answer is finished/],
    [
      'the ledger does not answer',
      [{ status: 503, body: { error: { code: 'ledger_unavailable' } } }],
      /safe/,
    ],
  ])('keeps this browser’s credit when %s', async (_why, then, message) => {
    await moveBoth(...then)
    expect(creditIdStore.getSnapshot()).toBe(OWN)
    expect(screen.getByText(message)).toBeDefined()
  })

  test('shows what another device has linked meanwhile, and replaces it only then', async () => {
    creditIdStore.write(OWN)
    renderFor(ADA, <LinkedCreditSection />)
    answers = [none, { status: 409, body: {} }, found(LINKED)]
    await press('Show what is linked')
    await press('Link this browser’s credit')
    expect(screen.getByText(/^Something else was changing/)).toBeDefined()
    expect(
      screen.getByText('The credit linked to your account is not the one in this browser.'),
    ).toBeDefined()
    answers = [found(OWN)]
    await press('Link this browser’s credit instead')
    await confirm('Link this browser’s credit instead')
    expect(sent.at(-1)?.body).toEqual({ credit_id: OWN, replaces: LINKED })
    expect(screen.queryByText(/^Something else was changing/)).toBeNull()
  })

  test('does not unlink what another device has linked meanwhile, and shows it', async () => {
    creditIdStore.write(OWN)
    renderFor(ADA, <LinkedCreditSection />)
    answers = [found(OWN), { status: 409, body: {} }, found(LINKED)]
    await press('Show what is linked')
    await press('Unlink')
    expect(sent[1]).toEqual({ method: 'DELETE', body: { credit_id: OWN } })
    expect(
      screen.getByText('The credit linked to your account is not the one in this browser.'),
    ).toBeDefined()
  })

  test('asks for the second factor when the server does', async () => {
    const factor = { id: 'f1', factorType: 'totp', friendlyName: 'My phone', status: 'verified' } as const
    renderFor({ ...ADA, factors: [factor] }, <LinkedCreditSection />)
    answers = [{ status: 403, body: { error: { reason: 'second_factor' } } }]
    await press('Show what is linked')
    expect(screen.getByRole('group', { name: 'Confirm it is you' })).toBeDefined()
    expect(screen.getByRole('textbox', { name: 'Code' })).toBeDefined()
  })

  test('says that the session has ended, and asks the auth service who is signed in', async () => {
    let openCount = 0
    renderFor(ADA, <LinkedCreditSection />, () => {
      openCount += 1
      return Promise.reject(new Error('not needed here'))
    })
    answers = [{ status: 401, body: {} }]
    await press('Show what is linked')
    expect(screen.getByRole('alert').textContent).toBe('Your session has ended. Sign in again.')
    expect(openCount).toBe(1)
  })

  test('offers to unlink a linked credit that cannot be opened, and then to link another one', async () => {
    creditIdStore.write(OWN)
    renderFor(ADA, <LinkedCreditSection />)
    const none = { status: 200, body: { credit_id: null, state: 'none' } }
    answers = [{ status: 200, body: { credit_id: null, state: 'unreadable' } }, none, found(OWN)]
    await press('Show what is linked')
    expect(screen.getByRole('status').textContent).toContain('cannot be opened here')
    expect(screen.queryByRole('button', { name: 'Link this browser’s credit' })).toBeNull()
    await press('Unlink')
    await confirm('Unlink')
    expect(sent.at(-1)).toEqual({ method: 'DELETE', body: { credit_id: null } })
    await press('Link this browser’s credit')
    expect(screen.getByRole('status').textContent).toBe(
      'The credit in this browser is linked to your account.',
    )
  })
})
