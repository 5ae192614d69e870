/** @jest-environment jsdom */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, render } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import type { ReactNode } from 'react'
import useSWR, { SWRConfig } from 'swr'
import { useModels } from '@/components/chat/use-models'
import { AtAddress } from '@/components/credit/top-up/testing'
import { TopUp } from '@/components/credit/top-up/top-up'
import { useBalance } from '@/components/credit/use-balance'
import { useKeys } from '@/components/keys/use-keys'
import { useRefillLink } from '@/components/refill/use-refill-link'
import { useSpeechOffer } from '@/components/speech/use-audio-offer'
import { UsageSection } from '@/components/usage/usage-section'
import { en } from '@/test/support/messages'
import { DataFetching } from './data-fetching'

const CREDIT_ID = '3f0c2f9e-8d1b-4c53-9f3e-0a4f1c2d3e4f'
const HOUR_MS = 60 * 60_000
const realFetch = globalThis.fetch
/** When each request was made, relative to opening the page. */
let askedAtMs: number[] = []
let answer: () => unknown = () => null

function Screen({ useHook }: { useHook: () => unknown }) {
  useHook()
  return null
}

const pageWith = (screen: ReactNode) => (
  <SWRConfig value={{ provider: () => new Map() }}>
    <DataFetching>
      <NextIntlClientProvider locale="en" messages={en}>
        <AtAddress>{screen}</AtAddress>
      </NextIntlClientProvider>
    </DataFetching>
  </SWRConfig>
)

const show = (useHook: () => unknown) => render(pageWith(<Screen useHook={useHook} />))

const passMs = (durationMs: number) => act(() => jest.advanceTimersByTimeAsync(durationMs))

beforeEach(() => {
  jest.useFakeTimers()
  localStorage.setItem('credit_id', CREDIT_ID)
  const startedAtMs = Date.now()
  askedAtMs = []
  answer = () => {
    throw new TypeError('Failed to fetch')
  }
  Reflect.set(globalThis, 'fetch', async () => {
    askedAtMs.push(Date.now() - startedAtMs)
    const body = answer()
    return { ok: true, status: 200, statusText: 'OK', headers: new Headers(), json: async () => body }
  })
})

afterEach(() => {
  cleanup()
  jest.useRealTimers()
  localStorage.clear()
  Reflect.set(globalThis, 'fetch', realFetch)
})

describe('a failing request', () => {
  test.each<[string, () => unknown]>([
    ['the models', useModels],
    ['the balance', useBalance],
    ['the refill link', () => useRefillLink(CREDIT_ID)],
    ['the keys', useKeys],
    ['the speech offer', useSpeechOffer],
  ])('is retried three times and then no more: %s', async (_, useHook) => {
    show(useHook)
    await passMs(HOUR_MS)
    expect(askedAtMs).toEqual([0, 1000, 3000, 7000])
  })

  test('is retried three times and then no more: the payment methods', async () => {
    render(pageWith(<TopUp returnHref="/" />))
    await passMs(HOUR_MS)
    expect(askedAtMs).toEqual([0, 1000, 3000, 7000])
  })

  test('is retried three times and then no more: the usage, its charts and its keys', async () => {
    render(pageWith(<UsageSection />))
    await passMs(HOUR_MS)
    expect(askedAtMs).toEqual([0, 1000, 3000, 7000].flatMap(atMs => [atMs, atMs, atMs]))
  })

  test('is retried without end while a payment is open, at most half a minute apart', async () => {
    window.history.replaceState(null, '', '?invoice=invoice')
    render(pageWith(<TopUp returnHref="/" />))
    await passMs(HOUR_MS)
    const gapsMs = askedAtMs.slice(1).map((atMs, index) => atMs - (askedAtMs[index] ?? 0))
    expect(gapsMs.slice(0, 6)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000])
    expect(new Set(gapsMs.slice(5))).toEqual(new Set([30_000]))
    expect(askedAtMs.length).toBeGreaterThan(100)
  })
})

test('a list without models, as of a server whose host is away, is one that failed', async () => {
  answer = () => ({ object: 'list', data: [] })
  const seen: boolean[] = []
  show(() => seen.push(useModels().failed))
  await passMs(HOUR_MS)
  expect(askedAtMs).toEqual([0, 1000, 3000, 7000])
  expect(seen.at(-1)).toBe(true)
})

test('a list of models that never comes is one that failed, and is asked for again', async () => {
  const waitMs = jest.spyOn(AbortSignal, 'timeout').mockImplementation(timeoutMs => {
    const wait = new AbortController()
    setTimeout(() => wait.abort(), timeoutMs)
    return wait.signal
  })
  Reflect.set(globalThis, 'fetch', (_: string, { signal }: RequestInit = {}) => {
    askedAtMs.push(Date.now())
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  })
  const seen: boolean[] = []
  show(() => seen.push(useModels().failed))
  await passMs(2 * 60_000)
  expect(askedAtMs).toHaveLength(2)
  expect(seen.at(-1)).toBe(true)
  waitMs.mockRestore()
})

test('fetched data is used for five minutes, and fetched again on the next focus', async () => {
  answer = () => ({ data: [] })
  show(() => useSWR('/anything', (path: string) => fetch(path).then(({ ok }) => ok)))
  await passMs(5 * 60_000 - 1)
  window.dispatchEvent(new Event('focus'))
  await passMs(0)
  expect(askedAtMs).toEqual([0])
  await passMs(10_000)
  window.dispatchEvent(new Event('focus'))
  await passMs(0)
  expect(askedAtMs).toHaveLength(2)
})

test('what keys have spent is asked for whenever somebody comes back to them', async () => {
  answer = () => ({ data: [] })
  show(useKeys)
  await passMs(10_000)
  window.dispatchEvent(new Event('focus'))
  await passMs(0)
  expect(askedAtMs).toHaveLength(2)
})

test('the usage list, its charts and its keys are fetched again when they are opened again', async () => {
  answer = () => ({ data: [], next_cursor: null })
  const { rerender } = render(pageWith(<UsageSection />))
  await passMs(30_000)
  askedAtMs = []
  rerender(pageWith(null))
  rerender(pageWith(<UsageSection />))
  await passMs(1000)
  expect(askedAtMs).toHaveLength(3)
})
