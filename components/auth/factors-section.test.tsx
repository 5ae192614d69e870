/** @jest-environment jsdom */
import { afterEach, beforeAll, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import type { FactorType } from '@/lib/auth/domain/auth-user'
import { press, stubDialogs } from '@/test/support/render'
import { FactorsSection } from './factors-section'
import { ADA, renderFor } from './testing'

beforeAll(stubDialogs)
afterEach(cleanup)

/** A service that knows one factor, which was never confirmed. */
function serviceWith(factorType: FactorType) {
  const factor = { id: 'f1', factor_type: factorType, friendly_name: 'Laptop', status: 'unverified' }
  const factors = [factor]
  const accept = async () => {
    factor.status = 'verified'
    factors.splice(0, 1, factor)
    return { data: {}, error: null }
  }
  const calls = {
    challenge: jest.fn(async (_: object) => ({ data: { id: 'challenge' }, error: null })),
    verify: jest.fn((_: object) => accept()),
    unenroll: jest.fn(async (_: object) => {
      factors.length = 0
      return { data: {}, error: null }
    }),
    authenticate: jest.fn((_: object): Promise<object> => accept()),
  }
  const client = Object.assign(Object.create(null), {
    mfa: {
      ...calls,
      webauthn: calls,
      getAuthenticatorAssuranceLevel: async () => ({
        data: { currentLevel: 'aal1', nextLevel: 'aal1' },
        error: null,
      }),
    },
    onAuthStateChange: () => undefined,
    refreshSession: async () => ({ data: {}, error: null }),
    getUser: async () => ({ data: { user: { id: ADA.id, factors: [...factors] } }, error: null }),
  })
  const known = { id: 'f1', factorType, friendlyName: 'Laptop', status: 'unverified' } as const
  renderFor({ ...ADA, factors: [known] }, <FactorsSection appName="Tuppence" />, async () => client)
  return calls
}

const untilConfirmed = () => waitFor(() => expect(screen.queryByText('Not confirmed yet')).toBeNull())

test.each(['totp', 'phone'] as const)(
  'a factor that was not confirmed when it was added can be later: %s',
  async factorType => {
    const { challenge, verify } = serviceWith(factorType)
    await press('Confirm Laptop')
    const group = await screen.findByRole('group', { name: 'Confirm Laptop' })
    expect(group.contains(document.activeElement)).toBe(true)
    if (factorType === 'phone') await press('Send a code')
    fireEvent.change(screen.getByRole('textbox', { name: 'Code' }), { target: { value: '123456' } })
    await press('Confirm')
    expect(challenge).toHaveBeenCalledWith({ factorId: 'f1', channel: 'sms' })
    expect(verify).toHaveBeenCalledWith({ factorId: 'f1', challengeId: 'challenge', code: '123456' })
    await untilConfirmed()
    expect(group.isConnected).toBe(false)
  },
)

test('a security key that was not confirmed when it was added is asked for again under its name', async () => {
  const { unenroll, authenticate } = serviceWith('webauthn')
  await press('Confirm Laptop')
  await waitFor(() => expect(authenticate).toHaveBeenCalledWith({ factorId: 'f1' }))
  await untilConfirmed()
  expect(unenroll).not.toHaveBeenCalled()
})

test('a security key is still there to be confirmed when the browser was not given it again', async () => {
  const { authenticate } = serviceWith('webauthn')
  const refusal = Object.assign(new Error('Not now'), { name: 'NotAllowedError' })
  authenticate.mockResolvedValueOnce({ data: null, error: refusal })
  await press('Confirm Laptop')
  await screen.findByText('Cancelled. Nothing was changed.')
  expect(screen.getByText('Not confirmed yet')).toBeDefined()
  await press('Confirm Laptop')
  await untilConfirmed()
})

test('nothing is asked about a factor that was removed meanwhile', async () => {
  serviceWith('totp')
  await press('Confirm Laptop')
  const group = await screen.findByRole('group', { name: 'Confirm Laptop' })
  await press('Remove Laptop')
  fireEvent.click(within(screen.getByRole('dialog')).getByText('Remove'))
  await untilConfirmed()
  expect(group.isConnected).toBe(false)
})
