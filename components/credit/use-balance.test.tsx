/** @jest-environment jsdom */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import { PathnameContext } from 'next/dist/shared/lib/hooks-client-context.shared-runtime'
import { NextIntlClientProvider } from 'next-intl'
import { SWRConfig } from 'swr'
import { DataFetching } from '@/components/shell/data-fetching'
import { creditIdStore } from '@/lib/local/credit-id'
import en from '@/messages/en.json'
import { REFETCH_AFTER_MS } from './balance-source'
import { BalanceStatus } from './balance-status'
import { refreshBalance, setBalanceFromAnswer } from './balance-store'

const originalFetch = globalThis.fetch
let creditCount = 0

/** A credit of its own for each test: what the page remembers of one must not reach the next. */
function newCreditId(): string {
  creditCount += 1
  return `00000000-0000-4000-8000-${String(creditCount).padStart(12, '0')}`
}

interface Answer {
  status?: number
  body: unknown
}

function answerWith(...answers: Answer[]) {
  const fetch = jest.fn(async (_url: string) => {
    const { status = 200, body } =
      answers.length > 1 ? (answers.shift() ?? { body: null }) : (answers[0] ?? { body: null })
    const ok = status < 400
    return { ok, status, statusText: ok ? 'OK' : 'Not Found', json: async () => body }
  })
  Object.assign(globalThis, { fetch })
  return fetch
}

function show() {
  return render(
    <SWRConfig value={{ errorRetryCount: 0 }}>
      <NextIntlClientProvider locale="en" messages={en}>
        <BalanceStatus zero="$0.00" />
      </NextIntlClientProvider>
    </SWRConfig>,
  )
}

const balance = () => screen.getByRole('status', { name: 'Balance' })

beforeEach(() => localStorage.clear())
afterEach(() => {
  cleanup()
  Object.assign(globalThis, { fetch: originalFetch })
})

describe('the balance on the page', () => {
  test('is zero and asks nobody without a credit_id', () => {
    const fetch = answerWith({ body: null })
    show()
    expect(balance().textContent).toBe('$0.00')
    expect(fetch).not.toHaveBeenCalled()
  })

  test('is loading, then what the server says', async () => {
    const creditId = newCreditId()
    creditIdStore.write(creditId)
    answerWith({ body: { credit_id: creditId, amount_usd: 1.25 } })
    show()
    expect(balance().getAttribute('aria-busy')).toBe('true')
    await waitFor(() => expect(balance().textContent).toBe('$1.25'))
    expect(balance().getAttribute('aria-busy')).toBe('false')
  })

  test('is zero with the reason when the record is missing', async () => {
    creditIdStore.write(newCreditId())
    answerWith({ status: 404, body: { error: 'Not Found' } })
    show()
    await waitFor(() => expect(balance().textContent).toBe('$0.00Credit record could not be retrieved'))
  })

  test('falls back to zero when a later fetch fails', async () => {
    const creditId = newCreditId()
    creditIdStore.write(creditId)
    answerWith(
      { body: { credit_id: creditId, amount_usd: 3 } },
      { body: { credit_id: 'another', amount_usd: 9 } },
    )
    show()
    await waitFor(() => expect(balance().textContent).toBe('$3.00'))
    await act(() => refreshBalance().catch(() => undefined))
    await waitFor(() => expect(balance().textContent).toBe('$0.00Credit record could not be retrieved'))
  })

  test('an explicit refresh asks at once', async () => {
    const creditId = newCreditId()
    creditIdStore.write(creditId)
    const fetch = answerWith(
      { body: { credit_id: creditId, amount_usd: 1 } },
      { body: { credit_id: creditId, amount_usd: 2 } },
    )
    show()
    await waitFor(() => expect(balance().textContent).toBe('$1.00'))
    await act(() => refreshBalance())
    await waitFor(() => expect(balance().textContent).toBe('$2.00'))
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  describe('in ordinary use', () => {
    let nowMs = 0
    const show = (pathname: string) => (
      <PathnameContext.Provider value={pathname}>
        <DataFetching>
          <NextIntlClientProvider locale="en" messages={en}>
            <BalanceStatus zero="$0.00" />
          </NextIntlClientProvider>
        </DataFetching>
      </PathnameContext.Provider>
    )
    const opened = async () => {
      nowMs = 1_000_000
      jest.spyOn(performance, 'now').mockImplementation(() => nowMs)
      const creditId = newCreditId()
      creditIdStore.write(creditId)
      const fetch = answerWith(
        { body: { credit_id: creditId, amount_usd: 1 } },
        { body: { credit_id: creditId, amount_usd: 2 } },
      )
      const page = render(show('/en'))
      await waitFor(() => expect(balance().textContent).toBe('$1.00'))
      return { fetch, page }
    }
    afterEach(() => void jest.restoreAllMocks())

    test('a look at the page asks again as soon as the throttle allows it', async () => {
      const { fetch } = await opened()
      nowMs += REFETCH_AFTER_MS - 1
      await act(async () => void window.dispatchEvent(new Event('focus')))
      expect(fetch).toHaveBeenCalledTimes(1)
      nowMs += 1
      await act(async () => void window.dispatchEvent(new Event('focus')))
      await waitFor(() => expect(balance().textContent).toBe('$2.00'))
      expect(fetch).toHaveBeenCalledTimes(2)
    })

    test('so does a change of the page', async () => {
      const { fetch, page } = await opened()
      nowMs += REFETCH_AFTER_MS - 1
      await act(async () => page.rerender(show('/en/pricing')))
      expect(fetch).toHaveBeenCalledTimes(1)
      nowMs += 1
      await act(async () => page.rerender(show('/en/account')))
      await waitFor(() => expect(balance().textContent).toBe('$2.00'))
      expect(fetch).toHaveBeenCalledTimes(2)
    })
  })

  test('follows what an answer told, without asking', async () => {
    const creditId = newCreditId()
    creditIdStore.write(creditId)
    const fetch = answerWith({ body: { credit_id: creditId, amount_usd: 1 } })
    show()
    await waitFor(() => expect(balance().textContent).toBe('$1.00'))
    await act(() => setBalanceFromAnswer(0.99958))
    expect(balance().textContent).toBe('$0.99')
    expect(fetch).toHaveBeenCalledTimes(1)
  })
})
