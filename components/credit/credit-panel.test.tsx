/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { creditIdStore } from '@/lib/local/credit-id'
import { complaints } from '@/test/support/complaints'
import { fakeServer, press, renderInEnglish } from '@/test/support/render'
import { CreditKey } from './credit-key'
import { CreditPanel } from './credit-panel'

const CREDIT_ID = '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01'

beforeEach(() => {
  localStorage.clear()
  creditIdStore.write(CREDIT_ID)
})
afterEach(cleanup)

const refresh = () => press('Refresh balance')

test('a refreshed balance is announced even if it is unchanged', async () => {
  fakeServer(() => ({ json: { credit_id: CREDIT_ID, amount_usd: 2 } }))
  renderInEnglish(<CreditPanel />)
  const balance = screen.getByRole('status')
  expect(balance.getAttribute('aria-live')).toBe('off')
  await refresh()
  expect(balance.getAttribute('aria-live')).toBe('polite')
  expect(balance.textContent).toMatch(/^\$2\.00Updated at .*\d/)
})

test('the button of the credit key says what it does, and claims no state that would contradict it', () => {
  renderInEnglish(<CreditKey creditId={CREDIT_ID} />)
  const key = screen.getByLabelText<HTMLInputElement>('Your credit key')
  expect(key.type).toBe('password')
  fireEvent.click(screen.getByRole('button', { name: 'Show' }))
  expect(key.type).toBe('text')
  expect(screen.getByRole('button', { name: 'Hide' }).hasAttribute('aria-pressed')).toBe(false)
})

test('a failed refresh is not shown as updated', async () => {
  fakeServer(() => ({ status: 500, json: {} }))
  renderInEnglish(<CreditPanel />)
  await refresh()
  expect(screen.getByRole('alert').textContent).not.toBe('')
  expect(screen.getByRole('status').textContent).not.toContain('Updated')
})

const notKnown = () => fakeServer(() => ({ status: 404, json: { error: 'Not Found' } }))

test('a credit that the server does not know is said to be unknown, and can still be copied', async () => {
  notKnown()
  creditIdStore.write(crypto.randomUUID())
  renderInEnglish(<CreditPanel />)
  expect(
    await screen.findByText(/^Credit record could not be retrieved\. This site does not know/),
  ).toBeDefined()
  // The usual reason: its owner has replaced it, and now opens the site where the old one was in use.
  expect(screen.getByText(/replaced it on another device.*enter its 12 words below/)).toBeDefined()
  expect(screen.getByRole('button', { name: 'Copy credit key' })).toBeDefined()
  expect(complaints.splice(0)).toEqual(['Balance: 404'])
})

test('a server that fails does not make the credit an unknown one', async () => {
  fakeServer(() => ({ status: 500, json: {} }))
  creditIdStore.write(crypto.randomUUID())
  renderInEnglish(<CreditPanel />)
  expect(await screen.findByText('Credit record could not be retrieved')).toBeDefined()
})

test('a damaged credit key is set aside once the server does not know it, and can be copied from there', async () => {
  notKnown()
  creditIdStore.write('0b0e7c9e-5d3c-4a53-9d5c')
  renderInEnglish(<CreditPanel />)
  expect(await screen.findByText(/There is no credit in this browser yet/)).toBeDefined()
  expect(localStorage.getItem('credit_id.damaged.1')).toBe('0b0e7c9e-5d3c-4a53-9d5c')
  expect(screen.getByRole('button', { name: 'Copy 0b0e7c9e…' })).toBeDefined()
  expect(complaints.splice(0)).toEqual(['Balance: 404'])
})
