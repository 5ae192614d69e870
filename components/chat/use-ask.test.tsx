/** @jest-environment jsdom */
import { randomUUID } from 'node:crypto'
import { afterEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { balanceSource } from '@/components/credit/balance-store'
import { useBalance } from '@/components/credit/use-balance'
import type { Shortage } from '@/lib/exchange/client/browser-exchanges'
import { creditIdStore } from '@/lib/local/credit-id'
import type { Conversation } from '@/lib/local/domain/conversation'
import { type SpendingLimits, writeSpendingLimits } from '@/lib/local/spending-limits'
import { conversationOf } from '@/lib/local/testing'
import { complaints } from '@/test/support/complaints'
import { renderInEnglish } from '@/test/support/render'
import { withdrawPrice } from './asked-price'
import { EMPTY_DRAFT } from './draft-store'
import { PriceQuestion } from './price-question'
import { chatModel } from './testing'
import { useAsk } from './use-ask'

const DOLLAR = 1_000_000_000n
const realFetch = globalThis.fetch
const ask = jest.fn<() => Promise<Shortage | null>>(async () => null)

interface Prices {
  readonly estimate: bigint | null
  readonly most: bigint | null
}

function Asker(prices: Prices) {
  const asking = useAsk(EMPTY_DRAFT, '')
  const { loading, error, balanceUsd } = useBalance()
  return (
    <>
      <button
        type="button"
        data-balance={error ? 'failed' : loading ? 'loading' : 'known'}
        data-balance-usd={balanceUsd}
        onClick={() => void asking.ask({ model: chatModel({}), conversation: null, ask, ...prices })}
      >
        Send
      </button>
      <PriceQuestion />
      {asking.shortage && <p>Too little</p>}
    </>
  )
}

/** Presses Send once the balance is in that state, and returns whether a question appeared instead. */
async function send(
  balance: number | 'loading' | 'failed',
  prices: Prices,
  limits: Partial<SpendingLimits> = {},
) {
  // Another one for each test, since the page remembers balances.
  const creditId = randomUUID()
  creditIdStore.write(creditId)
  writeSpendingLimits({ messageUsd: null, conversationUsd: null, ...limits })
  const answer = { ok: true, status: 200, json: async () => ({ credit_id: creditId, amount_usd: balance }) }
  const answers = {
    loading: () => new Promise(() => {}),
    failed: () => Promise.reject(new TypeError('Failed to fetch')),
  }
  Object.assign(globalThis, { fetch: typeof balance === 'number' ? async () => answer : answers[balance] })
  renderInEnglish(<Asker {...prices} />)
  const button = screen.getByRole('button', { name: 'Send' })
  const state = typeof balance === 'number' ? 'known' : balance
  await waitFor(() => expect(button.dataset.balance).toBe(state))
  complaints.length = 0
  await act(async () => void fireEvent.click(button))
  const isAsked = screen.queryByRole('button', { name: 'Yes, go ahead' }) !== null
  expect(ask).toHaveBeenCalledTimes(isAsked ? 0 : 1)
  return isAsked
}

afterEach(() => {
  withdrawPrice()
  cleanup()
  localStorage.clear()
  ask.mockClear()
  Object.assign(globalThis, { fetch: realFetch })
})

test.each([5, 'loading', 'failed'] as const)(
  'a dear question is asked about with a balance that is %s',
  async balance => {
    expect(await send(balance, { estimate: DOLLAR / 2n, most: null })).toBe(true)
  },
)

test.each([5, 'loading', 'failed', 0.03] as const)(
  'a question that can cost more than the limit is asked about with a balance that is %s',
  async balance => {
    const prices = { estimate: DOLLAR / 20n, most: DOLLAR / 10n }
    expect(await send(balance, prices, { messageUsd: 0.02 })).toBe(true)
  },
)

test('a question of unknown price is asked about if the most that it costs is beyond the limit', async () => {
  expect(await send(5, { estimate: null, most: DOLLAR }, { messageUsd: 0.02 })).toBe(true)
})

test('nothing is asked if all that is left is within the limit', async () => {
  expect(await send(0.01, { estimate: DOLLAR / 2n, most: DOLLAR }, { messageUsd: 0.02 })).toBe(false)
})

test('nothing is asked about a price that the balance does not cover', async () => {
  expect(await send(0.5, { estimate: DOLLAR, most: DOLLAR })).toBe(false)
})

/** Asks, with another text in the box once it is refused. */
function Editor({ conversation = null }: { conversation?: Conversation | null }) {
  const [text, setText] = useState('')
  const { shortage, ask } = useAsk(EMPTY_DRAFT, text)
  const refused = async () => {
    setText('What was edited')
    return { requiredUsd: '0.1', availableUsd: '0.01' }
  }
  const question = { model: chatModel({}), conversation, estimate: null, most: null }
  return (
    <>
      <button type="button" onClick={() => void ask({ ...question, ask: refused })}>
        Send
      </button>
      <input value={text} onChange={event => setText(event.currentTarget.value)} />
      {shortage && <p>Too little</p>}
    </>
  )
}

test('a shortage in a chat that was left is not told of what stands in the next one', async () => {
  creditIdStore.write(randomUUID())
  Object.assign(globalThis, { fetch: () => new Promise(() => {}) })
  renderInEnglish(<Editor conversation={conversationOf('left', 'What?')} />)
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Send' })))
  expect(screen.getByRole<HTMLInputElement>('textbox').value).toBe('What was edited')
  expect(screen.queryByText('Too little')).toBeNull()
})

test('a shortage is told of the text that it has put into the message box, until that is changed', async () => {
  creditIdStore.write(randomUUID())
  Object.assign(globalThis, { fetch: () => new Promise(() => {}) })
  renderInEnglish(<Editor />)
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Send' })))
  expect(screen.queryByText('Too little')).not.toBeNull()
  fireEvent.change(screen.getByRole('textbox'), { target: { value: 'Something else' } })
  expect(screen.queryByText('Too little')).toBeNull()
})

test('a shortage is forgotten when money comes in, also if less than this page had believed to be left', async () => {
  ask.mockResolvedValueOnce({ requiredUsd: '0.1', availableUsd: '0.01' })
  expect(await send(5, { estimate: DOLLAR / 20n, most: null })).toBe(false)
  const become = async (balanceUsd: number) => {
    const creditId = creditIdStore.getSnapshot() ?? ''
    const body = { credit_id: creditId, amount_usd: balanceUsd }
    Object.assign(globalThis, { fetch: async () => ({ ok: true, status: 200, json: async () => body }) })
    balanceSource.resetThrottle(creditId)
    await act(async () => void window.dispatchEvent(new Event('focus')))
    const { dataset } = screen.getByRole('button', { name: 'Send' })
    await waitFor(() => expect(dataset.balanceUsd).toBe(String(balanceUsd)))
  }
  await become(0.01)
  expect(screen.queryByText('Too little')).not.toBeNull()
  await become(0.5)
  expect(screen.queryByText('Too little')).toBeNull()
})

/** Asks in one of two chats. */
function Chats({ chats, ask }: { chats: readonly Conversation[]; ask: () => Promise<null> }) {
  const [conversation = null, setConversation] = useState(chats[0])
  const asking = useAsk(conversation ?? EMPTY_DRAFT, '')
  const question = { model: chatModel({}), conversation, estimate: null, most: null, ask }
  return (
    <>
      <button type="button" onClick={() => void asking.ask(question)}>
        Send
      </button>
      <button type="button" onClick={() => setConversation(chats[1])}>
        Next chat
      </button>
    </>
  )
}

test('a question on its way is not asked twice because another one, in a chat that was left, has ended', async () => {
  creditIdStore.write(randomUUID())
  Object.assign(globalThis, { fetch: () => new Promise(() => {}) })
  const ends: (() => void)[] = []
  const askSlowly = jest.fn(() => new Promise<null>(resolve => ends.push(() => resolve(null))))
  const chats = [conversationOf('left', 'What?'), conversationOf('next', 'And this?')]
  renderInEnglish(<Chats chats={chats} ask={askSlowly} />)
  const press = (name: string) => act(async () => void fireEvent.click(screen.getByRole('button', { name })))
  await press('Send')
  await press('Next chat')
  await press('Send')
  expect(askSlowly).toHaveBeenCalledTimes(2)
  await act(async () => ends[0]?.())
  await press('Send')
  expect(askSlowly).toHaveBeenCalledTimes(2)
  await act(async () => ends[1]?.())
  await press('Send')
  expect(askSlowly).toHaveBeenCalledTimes(3)
})
