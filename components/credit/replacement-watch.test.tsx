/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import { creditIdStore } from '@/lib/local/credit-id'
import { creditReplacementStore } from '@/lib/local/credit-replacement'
import { en } from '@/test/support/messages'
import { fakeServer } from '@/test/support/render'
import { LiveBalance } from './live-balance'

afterEach(cleanup)

test('the balance is read anew at once when another tab has moved the rest', async () => {
  const [fromCreditId, intoCreditId] = [crypto.randomUUID(), crypto.randomUUID()]
  let balanceUsd = 0
  fakeServer(({ path }) =>
    path === '/accounts/merge'
      ? { status: 502 }
      : { json: { credit_id: path.split('/')[4], amount_usd: balanceUsd } },
  )
  creditIdStore.write(intoCreditId)
  creditReplacementStore.put({ fromCreditId, intoCreditId, state: 'moving' })
  render(
    <NextIntlClientProvider locale="en" messages={en} timeZone="UTC">
      <LiveBalance />
    </NextIntlClientProvider>,
  )
  await waitFor(() => expect(screen.getByRole('status').textContent).toContain('$0.00'))
  balanceUsd = 1
  act(() => void creditReplacementStore.put({ fromCreditId, state: 'done' }))
  await waitFor(() => expect(screen.getByRole('status').textContent).toContain('$1.00'))
})
