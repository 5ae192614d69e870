/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { cleanup, fireEvent, screen } from '@testing-library/react'
import type { AuthBrowserClient } from '@/lib/auth/client/browser-client'
import { press } from '@/test/support/render'
import { FactorCheck } from './factor-check'
import { ADA, renderFor } from './testing'

afterEach(cleanup)

const refusing = {
  onAuthStateChange: () => ({ data: { subscription: { unsubscribe: () => undefined } } }),
  mfa: {
    challenge: async () => ({ data: { id: 'challenge' }, error: null }),
    verify: async () => ({ data: null, error: { code: 'mfa_verification_failed' } }),
  },
} as unknown as AuthBrowserClient

test.each([
  ['totp', /the one that your app shows now/],
  ['phone', /the latest text message/],
] as const)('a wrong code of the factor %s has a sentence of its own', async (factorType, sentence) => {
  const factor = { id: 'factor', factorType }
  renderFor(ADA, <FactorCheck factor={factor} onVerified={() => undefined} />, async () => refusing)
  if (factorType === 'phone') await press('Send a code')
  fireEvent.change(screen.getByRole('textbox', { name: 'Code' }), { target: { value: '123456' } })
  await press('Confirm')
  expect(await screen.findByText(sentence)).toBeDefined()
})
