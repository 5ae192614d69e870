/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { MESSAGE_BOX_ID } from '@/components/ui/focus'
import { creditIdFirstSegment, creditIdStore } from '@/lib/local/credit-id'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { fakeServer, renderInEnglish } from '@/test/support/render'

let path = '/'
jest.unstable_mockModule('@/lib/i18n/navigation', () => ({ Link: 'a', usePathname: () => path }))
const { LowBalanceNotice } = await import('./low-balance-notice')
const { LowBalanceSetting } = await import('./low-balance-setting')

let balanceUsd = 0
let status = 200

beforeEach(() => {
  localStorage.clear()
  path = '/'
  status = 200
  // A new credit for each test, since the page caches balances for four seconds.
  creditIdStore.write(crypto.randomUUID())
  fakeServer(({ path: requestedPath }) => ({
    status,
    json: { credit_id: requestedPath.split('/')[4], amount_usd: balanceUsd },
  }))
})
afterEach(cleanup)

/** The notice at this balance, in a browser whose last top-up was `toppedUpUsd`. */
async function showAt(usd: number, toppedUpUsd: number | null = 20) {
  balanceUsd = usd
  const creditSegment = creditIdFirstSegment(creditIdStore.getSnapshot() ?? '')
  const last = { creditSegment, amountUsd: usd, atMs: 0, afterTopUpUsd: toppedUpUsd }
  localStorage.setItem('lastBalance', JSON.stringify(last))
  const { container } = await act(async () => renderInEnglish(<LowBalanceNotice />))
  await act(async () => {})
  return container.querySelector('p')?.firstChild?.textContent ?? ''
}

test.each([
  [0.1, ''],
  [5, ''],
  [0.0999, 'Your credit is down to $0.09.'],
  [0.0042, 'Your credit is down to 0.42 cents.'],
  [0, 'Your credit is used up.'],
])('with %d dollars the notice says %j', async (usd, text) => {
  expect(await showAt(usd)).toBe(text)
})

test('the notice does not appear before a first top-up', async () => {
  expect(await showAt(0, null)).toBe('')
})

test('the notice does not appear while the first top-up is being credited', async () => {
  const { lastBalanceStore } = await import('@/lib/local/last-balance')
  await showAt(0, null)
  act(() => lastBalanceStore.note(creditIdStore.getSnapshot() ?? '', 1, 0))
  expect(screen.queryByText('Your credit is used up.')).toBeNull()
})

test('the notice offers automatic top-up only if it is not set up', async () => {
  await showAt(0.05)
  expect(screen.getByRole('link', { name: 'Set up automatic top-up' }).getAttribute('href')).toBe(
    '/account#wallet',
  )
  act(() => localStorage.setItem('walletTopUps', '{"rules":null}'))
  cleanup()
  creditIdStore.write(crypto.randomUUID())
  expect(await showAt(0.05)).not.toBe('')
  expect(screen.queryByRole('link')).toBeNull()
})

test('the focus goes on to the message box when the notice is closed', async () => {
  await showAt(0.05)
  const box = document.body.appendChild(document.createElement('textarea'))
  box.id = MESSAGE_BOX_ID
  const close = screen.getByRole('button', { name: 'Close' })
  close.focus()
  fireEvent.click(close)
  await waitFor(() => expect(document.activeElement).toBe(box))
  box.remove()
})

test('after a small top-up the notice appears at a tenth of it', async () => {
  expect(await showAt(0.05, 0.2)).toBe('')
  cleanup()
  creditIdStore.write(crypto.randomUUID())
  expect(await showAt(0.0199, 0.2)).toBe('Your credit is down to $0.01.')
})

test('the notice does not appear without a credit, after a failure, or on the top-up page', async () => {
  status = 500
  expect(await showAt(0)).toBe('')
  cleanup()
  status = 200
  path = '/top-up'
  creditIdStore.write(crypto.randomUUID())
  expect(await showAt(0)).toBe('')
  cleanup()
  path = '/'
  creditIdStore.remove()
  expect(await showAt(0)).toBe('')
})

test('a closed notice stays closed until the balance has been sufficient again', async () => {
  await showAt(0.05)
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect(screen.queryByText(/credit is down/)).toBeNull()
  cleanup()
  creditIdStore.write(crypto.randomUUID())
  expect(await showAt(0.05)).toBe('')
  cleanup()
  creditIdStore.write(crypto.randomUUID())
  expect(await showAt(1)).toBe('')
  cleanup()
  creditIdStore.write(crypto.randomUUID())
  expect(await showAt(0.05)).not.toBe('')
})

test('the threshold is a setting, and changing it keeps the other settings', async () => {
  settingsStore.update({ enterToSend: false })
  renderInEnglish(<LowBalanceSetting />)
  const field = screen.getByLabelText(/Tell me when/)
  fireEvent.change(field, { target: { value: 'much' } })
  expect(screen.getByRole('alert').textContent).toContain('0 to 1000')
  fireEvent.change(field, { target: { value: '2,5' } })
  expect(JSON.parse(localStorage.getItem('settings') ?? '')).toMatchObject({
    lowBalanceThresholdUsd: 2.5,
    enterToSend: false,
  })
  cleanup()
  expect(await showAt(2.4, 50)).toContain('$2.40')
})

test('the threshold is read as amounts are everywhere: with a separator of thousands, a thousand is a thousand', () => {
  renderInEnglish(<LowBalanceSetting />)
  fireEvent.change(screen.getByLabelText(/Tell me when/), { target: { value: '1,000' } })
  expect(JSON.parse(localStorage.getItem('settings') ?? '')).toMatchObject({ lowBalanceThresholdUsd: 1000 })
})

test.each(['"low"', '-1', 'null', '1e9'])('a stored threshold of %s counts as the default', async stored => {
  localStorage.setItem('settings', `{"lowBalanceThresholdUsd":${stored}}`)
  expect(await showAt(0.2)).toBe('')
})
