/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import type { TopUpOrder } from '@/lib/api/client/top-ups'
import { ApiCallError } from '@/lib/http/client/call-api'
import { fakeServer, press, renderInEnglish } from '@/test/support/render'
import { PaymentForm } from './payment-form'

const onOrder = jest.fn(async (_order: TopUpOrder) => {})

const take = (method: string, min: number, max: number) =>
  fakeServer(() => ({ json: { supported_methods: [{ method, limits: { USD: { min, max } } }] } }))

beforeEach(() => {
  onOrder.mockClear()
  take('card', 1, 1500)
})
afterEach(cleanup)

async function order(amountText: string): Promise<void> {
  renderInEnglish(<PaymentForm amountUsd={null} methodName={null} onOrder={onOrder} />)
  await screen.findByRole('radio')
  fireEvent.change(screen.getByLabelText('Amount in US dollars'), { target: { value: amountText } })
  await press('Continue')
}

test('a press before the ways to pay are known is kept, and orders once they are', async () => {
  renderInEnglish(<PaymentForm amountUsd={null} methodName={null} onOrder={onOrder} />)
  fireEvent.click(screen.getByRole('button', { name: 'Continue' }))
  expect(screen.getByRole('button', { name: 'Continue' }).getAttribute('aria-busy')).toBe('true')
  expect(onOrder).not.toHaveBeenCalled()
  await waitFor(() => expect(onOrder).toHaveBeenCalledWith({ methodName: 'card', amountUsd: 5 }))
  expect(onOrder).toHaveBeenCalledTimes(1)
})

test('an amount may have a thousands separator', async () => {
  await order('1,000')
  expect(onOrder).toHaveBeenCalledWith({ methodName: 'card', amountUsd: 1000 })
})

test.each([
  ['99999999', 'This method takes $1,500.00 at most.'],
  ['2,000', 'This method takes $1,500.00 at most.'],
  ['0.5', 'This method takes $1.00 or more.'],
  ['five', 'Enter an amount in dollars, such as 5 or 2.50.'],
])('%j is refused with advice, and the focus moves to the field', async (amountText, problem) => {
  await order(amountText)
  expect(screen.getByText(problem)).toBeDefined()
  expect(document.activeElement).toBe(screen.getByLabelText('Amount in US dollars'))
  expect(onOrder).not.toHaveBeenCalled()
})

test('an ambiguous amount asks for its meaning before anything is ordered', async () => {
  await order('1.000')
  expect(screen.getByText(/Which amount do you mean/)).toBeDefined()
  expect(onOrder).not.toHaveBeenCalled()
  await press('$1,000.00')
  expect(screen.queryByText(/Which amount do you mean/)).toBeNull()
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Continue' }))
  await press('Continue')
  expect(onOrder).toHaveBeenCalledWith({ methodName: 'card', amountUsd: 1000 })
})

test('an order from the field that fails moves the focus to where the reason is', async () => {
  onOrder.mockRejectedValueOnce(new ApiCallError('payment_gateway_error'))
  renderInEnglish(<PaymentForm amountUsd={null} methodName={null} onOrder={onOrder} />)
  await screen.findByRole('radio')
  const field = screen.getByLabelText('Amount in US dollars')
  field.focus()
  fireEvent.submit(field)
  await screen.findByText(/could not be reached/)
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Continue' })))
})

test('an order that fails late leaves the focus where it was moved meanwhile', async () => {
  const { promise, reject } = Promise.withResolvers<void>()
  onOrder.mockReturnValueOnce(promise)
  renderInEnglish(<PaymentForm amountUsd={null} methodName={null} onOrder={onOrder} />)
  const method = await screen.findByRole('radio')
  const field = screen.getByLabelText('Amount in US dollars')
  field.focus()
  fireEvent.submit(field)
  // Without a button of its own, a form with one text field is submitted by Enter all the same.
  await act(async () => fireEvent.submit(field))
  expect(document.activeElement).toBe(field)
  method.focus()
  reject(new ApiCallError('payment_gateway_error'))
  await screen.findByText(/could not be reached/)
  await act(async () => {})
  expect(document.activeElement).toBe(method)
  expect(onOrder).toHaveBeenCalledTimes(1)
})

test('the message about a missing connection disappears when the network is back', async () => {
  onOrder.mockRejectedValueOnce(new ApiCallError('network'))
  await order('5')
  expect(screen.getByText(/No connection to the server/)).toBeDefined()
  fireEvent(window, new Event('online'))
  expect(screen.queryByText(/No connection to the server/)).toBeNull()
})

test('a refusal by the server stays visible after a network change', async () => {
  onOrder.mockRejectedValueOnce(new ApiCallError('rate_limited'))
  await order('5')
  fireEvent(window, new Event('online'))
  expect(screen.getByText(/That was a lot at once/)).toBeDefined()
})

test.each([
  [10, 1500, '10'],
  [1, 1500, '5'],
  [1, 2.5, '2.50'],
])('a method that accepts %d to %d dollars starts with a valid amount', async (min, max, amount) => {
  take('btc', min, max)
  renderInEnglish(<PaymentForm amountUsd={null} methodName={null} onOrder={onOrder} />)
  await screen.findByRole('radio')
  expect(screen.getByLabelText<HTMLInputElement>('Amount in US dollars').value).toBe(amount)
  await press('Continue')
  expect(onOrder).toHaveBeenCalledWith({ methodName: 'btc', amountUsd: Number(amount) })
})

test.each([
  ['card', 1, 1500, ['$1', '$5', '$10', '$20']],
  ['btc', 10, 1500, ['$10', '$20', '$50', '$100']],
  ['card', 2.5, 10, ['$5', '$10']],
])('%s, which accepts %d to %d dollars, offers only valid amounts', async (method, min, max, amounts) => {
  take(method, min, max)
  renderInEnglish(<PaymentForm amountUsd={null} methodName={null} onOrder={onOrder} />)
  await screen.findByRole('radio')
  const offered = within(screen.getByRole('group', { name: 'Amounts' })).getAllByRole('button')
  expect(offered.map(button => button.textContent)).toEqual(amounts)
})
