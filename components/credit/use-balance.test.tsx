/** @jest-environment jsdom */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import { PathnameContext } from 'next/dist/shared/lib/hooks-client-context.shared-runtime'
import { NextIntlClientProvider } from 'next-intl'
import { SWRConfig } from 'swr'
import { DataFetching } from '@/components/shell/data-fetching'
import { type Locale, routing } from '@/lib/i18n/routing'
import { creditIdStore } from '@/lib/local/credit-id'
import { lastBalanceStore } from '@/lib/local/last-balance'
import { complaints } from '@/test/support/complaints'
import { en, messagesIn } from '@/test/support/messages'
import { NOBODYS_ZONE } from '@/test/support/render'
import { REFETCH_AFTER_MS } from './balance-source'
import { BalanceStatus } from './balance-status'
import { refreshBalance, setBalanceFromAnswer } from './balance-store'
import { useBalance } from './use-balance'

const originalFetch = globalThis.fetch
let creditCount = 0

/** A new credit for each test, since the page caches balances. */
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

/** Renders the hook's values, whatever the header shows. */
function State() {
  const { balanceUsd, error } = useBalance()
  return <pre data-testid="state">{JSON.stringify({ balanceUsd, error })}</pre>
}

const state = () => JSON.parse(screen.getByTestId('state').textContent)

function show(locale: Locale = 'en', pathname = '/') {
  return render(
    <SWRConfig value={{ errorRetryCount: 0 }}>
      <NextIntlClientProvider locale={locale} messages={messagesIn(locale)} timeZone={NOBODYS_ZONE}>
        <PathnameContext.Provider value={pathname}>
          <BalanceStatus zero="$0.00" />
        </PathnameContext.Provider>
        <State />
      </NextIntlClientProvider>
    </SWRConfig>,
  )
}

const balance = () => screen.getByRole('status', { name: /^(Balance|Guthaben|Saldo|Solde)$/ })

beforeEach(() => localStorage.clear())
afterEach(() => {
  cleanup()
  Object.assign(globalThis, { fetch: originalFetch })
})

describe('the balance on the page', () => {
  test('is not shown on the page that pays into somebody else’s credit', async () => {
    localStorage.setItem('credit_id', newCreditId())
    answerWith({ body: null })
    await act(async () => show('en', '/refill'))
    expect(screen.queryByRole('status')).toBeNull()
  })

  test('is zero without a credit_id, and nothing is requested', () => {
    const fetch = answerWith({ body: null })
    show()
    expect(balance().textContent).toBe('$0.00')
    expect(fetch).not.toHaveBeenCalled()
  })

  test('is loading, then the amount that the server returns', async () => {
    const creditId = newCreditId()
    creditIdStore.write(creditId)
    answerWith({ body: { credit_id: creditId, amount_usd: 1.25 } })
    show()
    expect(balance().getAttribute('aria-busy')).toBe('true')
    await waitFor(() => expect(balance().textContent).toBe('$1.25'))
    expect(balance().getAttribute('aria-busy')).toBe('false')
  })

  test('is unknown, not zero, when the record is missing', async () => {
    creditIdStore.write(newCreditId())
    answerWith({ status: 404, body: { error: 'Not Found' } })
    show()
    await waitFor(() => expect(balance().textContent).toBe('–not known here'))
    expect(balance().title).toBe('Credit record could not be retrieved')
    expect(state()).toEqual({ balanceUsd: 0, error: 'Credit record could not be retrieved' })
    expect(complaints.splice(0)).toEqual(['Balance: Not Found'])
  })

  test('is not the last known one of a credit that the server no longer knows', async () => {
    creditIdStore.write(newCreditId())
    const last = { creditSegment: '00000000', amountUsd: 0.99, atMs: Date.now() }
    localStorage.setItem('lastBalance', JSON.stringify(last))
    answerWith({ status: 404, body: { error: 'Not Found' } })
    show()
    await waitFor(() => expect(balance().textContent).toBe('–not known here'))
    expect(complaints.splice(0)).toEqual(['Balance: Not Found'])
  })

  test('that cannot be fetched shows the specified error text', async () => {
    creditIdStore.write(newCreditId())
    Object.assign(globalThis, { fetch: () => Promise.reject('no Error') })
    show()
    await waitFor(() => expect(balance().title).toContain('Failed to fetch balance'))
  })

  test.each(routing.locales)(
    'that cannot be fetched is said to be safe, without the error text, in %s',
    async locale => {
      const { safe, fetchFailed } = messagesIn(locale).credit
      creditIdStore.write(newCreditId())
      Object.assign(globalThis, { fetch: () => Promise.reject(new TypeError('Failed to fetch')) })
      show(locale)
      await waitFor(() => expect(balance().textContent).toBe(`–${safe}`))
      expect(balance().title).toBe(fetchFailed)
      expect(state()).toEqual({ balanceUsd: 0, error: 'Failed to fetch' })
    },
  )

  test('that was known before is shown with its local day if it cannot be fetched', async () => {
    const creditId = newCreditId()
    creditIdStore.write(creditId)
    const atMs = new Date(2026, 10, 1).getTime()
    localStorage.setItem('lastBalance', JSON.stringify({ creditSegment: '00000000', amountUsd: 2.5, atMs }))
    Object.assign(globalThis, { fetch: () => Promise.reject(new TypeError('Failed to fetch')) })
    show()
    await waitFor(() => expect(balance().textContent).toBe('$2.50as of Nov 1, 2026'))
    expect(state()).toEqual({ balanceUsd: 0, error: 'Failed to fetch' })
  })

  test.each(['another', '{', 'null', '{"creditSegment":"00000000","amountUsd":-1,"atMs":0}'])(
    'is not taken from a stored balance that is foreign or damaged: %s',
    async stored => {
      creditIdStore.write(newCreditId())
      localStorage.setItem(
        'lastBalance',
        stored.replace('another', '{"creditSegment":"11111111","amountUsd":1,"atMs":0}'),
      )
      answerWith({ status: 500, body: {} })
      show()
      await waitFor(() => expect(balance().textContent).toMatch(/^–/))
    },
  )

  test('stays the last known one when a later fetch fails', async () => {
    const creditId = newCreditId()
    creditIdStore.write(creditId)
    answerWith(
      { body: { credit_id: creditId, amount_usd: 3 } },
      { body: { credit_id: 'another', amount_usd: 9 } },
    )
    show()
    await waitFor(() => expect(balance().textContent).toBe('$3.00'))
    await act(() => refreshBalance().catch(() => undefined))
    await waitFor(() => expect(balance().textContent).toMatch(/^\$3\.00as of /))
    expect(state()).toEqual({ balanceUsd: 0, error: 'Credit record could not be retrieved' })
  })

  test('is fetched at once by an explicit refresh', async () => {
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

  describe('in the throttled page', () => {
    let nowMs = 0
    const show = (pathname: string) => (
      <PathnameContext.Provider value={pathname}>
        <DataFetching>
          <NextIntlClientProvider locale="en" messages={en} timeZone="UTC">
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

    test('is fetched again on focus as soon as the throttle allows', async () => {
      const { fetch } = await opened()
      nowMs += REFETCH_AFTER_MS - 1
      await act(async () => void window.dispatchEvent(new Event('focus')))
      expect(fetch).toHaveBeenCalledTimes(1)
      nowMs += 1
      await act(async () => void window.dispatchEvent(new Event('focus')))
      await waitFor(() => expect(balance().textContent).toBe('$2.00'))
      expect(fetch).toHaveBeenCalledTimes(2)
    })

    test('is fetched again after a while in a tab that stays open', async () => {
      jest.useFakeTimers({ advanceTimers: true, doNotFake: ['performance'] })
      try {
        const { fetch } = await opened()
        nowMs += 60_000
        await act(() => jest.advanceTimersByTimeAsync(60_000))
        await waitFor(() => expect(balance().textContent).toBe('$2.00'))
        expect(fetch).toHaveBeenCalledTimes(2)
      } finally {
        jest.useRealTimers()
      }
    })

    test('is fetched again when another tab stores a different amount', async () => {
      const { fetch } = await opened()
      const receive = async (amountUsd: number) => {
        nowMs += REFETCH_AFTER_MS
        const stored = { ...lastBalanceStore.getSnapshot(), amountUsd }
        localStorage.setItem('lastBalance', JSON.stringify(stored))
        const written = { key: 'lastBalance', storageArea: localStorage }
        await act(async () => void window.dispatchEvent(new StorageEvent('storage', written)))
      }
      await receive(1)
      expect(fetch).toHaveBeenCalledTimes(1)
      await receive(2)
      await waitFor(() => expect(balance().textContent).toBe('$2.00'))
      await receive(2)
      expect(fetch).toHaveBeenCalledTimes(2)
    })

    test('is fetched again on a page change', async () => {
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

  test('is updated by an answer without a request', async () => {
    const creditId = newCreditId()
    creditIdStore.write(creditId)
    const fetch = answerWith({ body: { credit_id: creditId, amount_usd: 1 } })
    show()
    await waitFor(() => expect(balance().textContent).toBe('$1.00'))
    await act(() => setBalanceFromAnswer(creditId, 0.99958, 0.00042))
    expect(balance().textContent).toBe('$0.99')
    expect(fetch).toHaveBeenCalledTimes(1)
    // Shown for a moment, and hidden from screen readers.
    const spent = balance().querySelector('[data-text]')
    expect([spent?.getAttribute('data-text'), spent?.getAttribute('aria-hidden')]).toEqual([
      '−0.042 cents',
      'true',
    ])
    await act(async () => void spent?.dispatchEvent(new Event('animationend', { bubbles: true })))
    expect(balance().querySelector('[data-text]')).toBeNull()
    await act(() => setBalanceFromAnswer(creditId, 0.99958, 0.00042))
    expect(balance().querySelector('[data-text]')).toBeNull()
  })

  test('is fetched if an answer tells another one than it can have left, since its end was fetched late', async () => {
    const creditId = newCreditId()
    creditIdStore.write(creditId)
    answerWith({ body: { credit_id: creditId, amount_usd: 0.4 } })
    show()
    await waitFor(() => expect(balance().textContent).toBe('$0.40'))
    await act(() => setBalanceFromAnswer(creditId, 0.89, 0.01))
    expect(balance().textContent).toBe('$0.40')
    expect(lastBalanceStore.getSnapshot()).toMatchObject({ amountUsd: 0.4 })
    answerWith({ body: { credit_id: creditId, amount_usd: 5.3 } })
    await act(() => setBalanceFromAnswer(creditId, 0.3, 0.05))
    await waitFor(() => expect(balance().textContent).toBe('$5.30'))
  })

  test('is fetched if an answer ends without telling any, as one that is refused', async () => {
    const creditId = newCreditId()
    creditIdStore.write(creditId)
    answerWith(
      { body: { credit_id: creditId, amount_usd: 1 } },
      { body: { credit_id: creditId, amount_usd: 0.5 } },
    )
    show()
    await waitFor(() => expect(balance().textContent).toBe('$1.00'))
    await act(() => setBalanceFromAnswer(creditId, Number.NaN, 0))
    await waitFor(() => expect(balance().textContent).toBe('$0.50'))
  })

  test('is not updated by an answer that another credit has paid for', async () => {
    const replaced = newCreditId()
    const creditId = newCreditId()
    creditIdStore.write(creditId)
    answerWith({ body: { credit_id: creditId, amount_usd: 2 } })
    show()
    await waitFor(() => expect(balance().textContent).toBe('$2.00'))
    await act(() => setBalanceFromAnswer(replaced, 0.01, 0.00042))
    expect(balance().textContent).toBe('$2.00')
    expect(lastBalanceStore.getSnapshot()).toMatchObject({ amountUsd: 2 })
  })
})
