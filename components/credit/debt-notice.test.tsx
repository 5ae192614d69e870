/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, render, screen } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import { SWRConfig } from 'swr'
import { en } from '@/test/support/messages'
import { DebtNotice } from './debt-notice'

const CREDIT_ID = '00000000-0000-4000-8000-00000000dddd'
const originalFetch = globalThis.fetch

function answerWith(status: number, body: unknown) {
  const fetch = jest.fn(async (_path: string, _init: RequestInit) => ({
    ok: status < 400,
    status,
    json: async () => body,
  }))
  Object.assign(globalThis, { fetch })
  return fetch
}

function show() {
  return render(
    <SWRConfig value={{ provider: () => new Map(), errorRetryCount: 0 }}>
      <NextIntlClientProvider locale="en" messages={en}>
        <DebtNotice creditId={CREDIT_ID} balanceUsd={0} />
      </NextIntlClientProvider>
    </SWRConfig>,
  )
}

afterEach(() => {
  cleanup()
  Object.assign(globalThis, { fetch: originalFetch })
})

test('a debt is shown, and requested without the credit_id in the address', async () => {
  const fetch = answerWith(200, { balance: 0, debt_usd: 1.5 })
  show()
  expect(await screen.findByText(/\$1\.50 will be taken from your next top-up/)).toBeTruthy()
  expect(fetch.mock.calls.map(([path]) => path)).toEqual(['/credits/balance'])
})

test.each([
  ['owes nothing', 200, { balance: 3 }],
  ['cannot be looked up', 503, { error: { code: 'ledger_unavailable' } }],
])('no notice is shown for a credit that %s', async (_name, status, body) => {
  const fetch = answerWith(status, body)
  const { container } = show()
  await act(async () => {
    await Promise.all(fetch.mock.results.map(result => result.value))
  })
  expect(fetch).toHaveBeenCalledTimes(1)
  expect(container.textContent).toBe('')
})
