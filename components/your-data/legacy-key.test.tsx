/** @jest-environment jsdom */
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import messages from '@/messages/en.json'
import { LegacyKey } from './legacy-key'

const KEY = `sk-${'a'.repeat(32)}`

afterEach(() => {
  cleanup()
  localStorage.clear()
})

async function renderKey(answer: { status: number; body: unknown }): Promise<jest.Mock> {
  const fetchCalls = jest.fn()
  globalThis.fetch = (async (path: string, init: RequestInit) => {
    fetchCalls(path, new Headers(init.headers).get('authorization'))
    const text = JSON.stringify(answer.body)
    return { ok: answer.status === 200, status: answer.status, json: async () => JSON.parse(text) }
  }) as typeof fetch
  await act(async () => {
    render(
      <NextIntlClientProvider locale="en" messages={messages}>
        <LegacyKey />
      </NextIntlClientProvider>,
    )
  })
  return fetchCalls
}

describe('an API key that an earlier version left in the browser', () => {
  test.each(['', 'sk-short', '{"broken'])('is nothing when the entry is %j', async text => {
    localStorage.setItem('virtual_api_key', text)
    const calls = await renderKey({ status: 200, body: { balance: 1 } })
    expect(screen.queryByRole('heading')).toBeNull()
    expect(calls).not.toHaveBeenCalled()
  })

  test('is recognised as a credential and shown with what it can spend', async () => {
    localStorage.setItem('virtual_api_key', KEY)
    const calls = await renderKey({ status: 200, body: { balance: 1.25 } })
    expect(calls).toHaveBeenCalledWith('/credits/balance', `Bearer ${KEY}`)
    expect(screen.getByText(/It can spend \$1\.25/)).toBeDefined()
  })

  test('is shown without an amount when it is not known here, and goes when asked to', async () => {
    localStorage.setItem('virtual_api_key', KEY)
    await renderKey({ status: 401, body: { error: { code: 'invalid_credential' } } })
    expect(screen.queryByText(/It can spend/)).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: messages.yourData.legacyKeyRemove }))
    expect(localStorage.getItem('virtual_api_key')).toBeNull()
    expect(screen.queryByRole('heading')).toBeNull()
  })
})
