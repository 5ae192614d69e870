/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { ASKED_FROM_USD, writeSpendingLimits } from '@/lib/local/spending-limits'
import { press, renderInEnglish } from '@/test/support/render'
import { acceptsPrice, withdrawPrice } from './asked-price'
import { PriceQuestion } from './price-question'
import { ShortageNotice } from './shortage-notice'

afterEach(() => {
  localStorage.clear()
  cleanup()
})

/** Asks for consent to a price, and returns the outcome. */
async function ask(usd: number | null) {
  renderInEnglish(
    <>
      <textarea aria-label="Message" />
      <PriceQuestion />
    </>,
  )
  screen.getByRole('textbox').focus()
  const outcome: boolean[] = []
  await act(async () => void acceptsPrice(usd).then(isAccepted => outcome.push(isAccepted)))
  return outcome
}

test.each([null, 0, ASKED_FROM_USD - 0.000001])('no confirmation is asked for %s dollars', async usd => {
  expect(await ask(usd)).toEqual([true])
  expect(screen.queryByRole('group')).toBeNull()
})

test('a large price waits for confirmation, which returns the focus', async () => {
  const outcome = await ask(0.1437)
  expect(outcome).toEqual([])
  expect(screen.getByRole('group').textContent).toContain('This costs about 14 cents. Go ahead?')
  const yes = screen.getByRole('button', { name: 'Yes, go ahead' })
  expect(document.activeElement).toBe(yes)
  // The Enter key that sent the message is still held down.
  expect(fireEvent.keyDown(yes, { key: 'Enter', repeat: true })).toBe(false)
  await act(async () => fireEvent.click(yes))
  expect(outcome).toEqual([true])
  expect(document.activeElement).toBe(screen.getByRole('textbox'))
})

test.each([
  ['Cancel', () => void fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))],
  ['Escape', () => void fireEvent.keyDown(screen.getByRole('group'), { key: 'Escape' })],
  ['another draft', withdrawPrice],
])('%s refuses the price', async (_, refuse) => {
  const outcome = await ask(2)
  await act(async () => refuse())
  expect(outcome).toEqual([false])
  expect(screen.queryByRole('group')).toBeNull()
})

test('a new price question refuses the previous one', async () => {
  const outcome = await ask(2)
  await act(async () => void acceptsPrice(3))
  expect(outcome).toEqual([false])
  expect(screen.getByRole('group').textContent).toContain('$3.00')
  act(withdrawPrice)
})

test.each([
  [
    'a message',
    { messageUsd: 0.01, conversationUsd: null },
    'can cost up to 2.1 cents, more than your limit',
  ],
  ['a chat', { messageUsd: null, conversationUsd: 0.05 }, 'can have cost 7.2 cents, more than your limit'],
])(
  'a price above the limit for %s asks for confirmation, naming the highest cost',
  async (_, limits, words) => {
    writeSpendingLimits(limits)
    await ask(null)
    const outcome: boolean[] = []
    const spending = { mostUsd: 0.021, spentUsd: 0.051 }
    await act(async () => void acceptsPrice(0.004, spending).then(isAccepted => outcome.push(isAccepted)))
    expect(screen.getByRole('group').textContent).toContain(words)
    await press('Yes, go ahead')
    expect(outcome).toEqual([true])
  },
)

test('within the set limits no confirmation is asked, even above ten cents', async () => {
  writeSpendingLimits({ messageUsd: 1, conversationUsd: 2 })
  await ask(null)
  expect(await acceptsPrice(0.2, { mostUsd: 0.9, spentUsd: 1 })).toBe(true)
})

test('a balance that is too low is shown as an alert', () => {
  renderInEnglish(<ShortageNotice shortage={{ requiredUsd: '2', availableUsd: '0.5' }} />)
  expect(screen.getByRole('alert').textContent).toMatch(/^Your balance is too low/)
})
