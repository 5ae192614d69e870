/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { balanceSource } from '@/components/credit/balance-store'
import { AtAddress } from '@/components/credit/top-up/testing'
import { creditIdStore } from '@/lib/local/credit-id'
import type { Message } from '@/lib/local/domain/conversation'
import { fakeServer, renderInEnglish, stubDialogs } from '@/test/support/render'
import { chatModel, turnActions } from '../testing'
import { ContinueAnswer } from './continue-answer'

const CREDIT_ID = '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01'
const CUT: Message & { id: string } = {
  role: 'assistant',
  id: 'a',
  content: 'Once',
  status: 'completed',
  finish_reason: 'length',
  receipt: {
    cost_usd: '0.002',
    left_usd: '0.0001',
    input_token_count: 9,
    output_token_count: 9,
    estimated: false,
  },
}

let balanceUsd = 0
const continueAnswer = jest.fn()

/** Sets the balance that the server reports from now on. */
function has(usd: number): void {
  balanceUsd = usd
  balanceSource.resetThrottle(CREDIT_ID)
}

function show() {
  const model = chatModel({})
  const actions = turnActions({ model, models: [model], mostRest: () => 21_000_000n, continueAnswer })
  return renderInEnglish(
    <AtAddress>
      <ContinueAnswer last={CUT} actions={actions} />
    </AtAddress>,
  )
}

beforeEach(() => {
  localStorage.clear()
  continueAnswer.mockClear()
  creditIdStore.write(CREDIT_ID)
  stubDialogs()
  fakeServer(({ path }) =>
    path.includes('/credit')
      ? { json: { credit_id: creditIdStore.getSnapshot(), amount_usd: balanceUsd } }
      : { json: { supported_methods: [] } },
  )
})
afterEach(cleanup)

test('with enough credit, one press continues the answer, and the button names the highest price', async () => {
  has(5)
  show()
  fireEvent.click(await screen.findByRole('button', { name: 'Continue for up to 2.1 cents' }))
  expect(continueAnswer).toHaveBeenCalledWith('a')
})

test('with less credit, the button names the balance as the highest price', async () => {
  has(0.01)
  show()
  expect(await screen.findByRole('button', { name: 'Continue for up to 1 cent' })).toBeTruthy()
})

test('without credit, the top-up opens here, and the answer continues after payment and a reload', async () => {
  has(0.0001)
  show()
  fireEvent.click(await screen.findByRole('button', { name: 'Add credit and continue' }))
  expect(await screen.findByRole('dialog', { name: 'Add credit' })).toBeTruthy()
  expect(continueAnswer).not.toHaveBeenCalled()
  cleanup()
  has(1)
  show()
  await waitFor(() => expect(continueAnswer).toHaveBeenCalledTimes(1))
  expect(continueAnswer).toHaveBeenCalledWith('a', 'm')
})

test('a different credit in the browser does not continue the answer by itself', async () => {
  has(0.0001)
  show()
  fireEvent.click(await screen.findByRole('button', { name: 'Add credit and continue' }))
  cleanup()
  has(1)
  creditIdStore.write(CREDIT_ID.replace('0b0e7c9e', '1b0e7c9e'))
  show()
  await screen.findByRole('button', { name: 'Continue for up to 2.1 cents' })
  expect(continueAnswer).not.toHaveBeenCalled()
})
