/** @jest-environment jsdom */
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { AtAddress } from '@/components/credit/top-up/testing'
import { creditIdStore } from '@/lib/local/credit-id'
import { type FakeCall, fakeServer, press, renderInEnglish, stubDialogs } from '@/test/support/render'
import { Refill } from './refill'
import { RefillSection } from './refill-section'

const CREDIT_ID = '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01'
const TOKEN = `rf-${'a'.repeat(32)}`
const INVOICE = {
  invoice_id: 'inv',
  expires_at: 4_000_000_000,
  amount_usd: 5,
  lightning_invoice: 'lnbc1abc',
  sandbox: true,
}

let calls: FakeCall[] = []
let status = 'New'
let hasLink = false
let isRevoked = false
let name: string | null = null

beforeAll(stubDialogs)
beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  window.history.replaceState(null, '', '/refill')
  status = 'New'
  hasLink = false
  isRevoked = false
  name = null
  calls = fakeServer(({ method, path, body }) => {
    if (path === '/topup/refill') {
      return isRevoked ? { status: 401, json: { error: { code: 'invalid_credential' } } } : { json: { name } }
    }
    if (path === '/topup/payment-methods') {
      return {
        json: { supported_methods: [{ method: 'btc-lightning', limits: { USD: { min: 1, max: 100 } } }] },
      }
    }
    if (path.startsWith('/topup/refill/status')) return { json: { ...INVOICE, status, credited_usd: 5 } }
    if (path.startsWith('/topup/sandbox')) status = 'Settled'
    if (path === '/topup/refill/link') {
      if (method === 'GET' && !hasLink) return { status: 204 }
      hasLink = method !== 'DELETE'
      if (method === 'POST') name = Object(body).name || null
      return { json: { created_at: 1_700_000_000, name, token: TOKEN } }
    }
    return { json: INVOICE }
  })
})
afterEach(cleanup)

const open = (address: string) => {
  window.history.replaceState(null, '', address)
  renderInEnglish(
    <AtAddress>
      <Refill />
    </AtAddress>,
  )
}

test.each(['/refill', '/refill#rf-short', `/refill?token=${TOKEN}`])(
  '%s is shown as an incomplete link',
  address => {
    open(address)
    expect(screen.getByRole('alert').textContent).toContain('not whole')
    expect(calls).toEqual([])
  },
)

test('the link pays into the credit with its token as bearer, and in no requested address', async () => {
  open(`/refill#${TOKEN}`)
  await screen.findByRole('radio')
  await press('Continue')
  expect(calls.at(-1)).toMatchObject({ authorization: `Bearer ${TOKEN}` })
  await press('Pay (sandbox)')
  await waitFor(() => expect(screen.getByText('$5.00 added. Thank you!')).toBeDefined())
  expect(calls.some(({ path }) => path.includes(TOKEN))).toBe(false)
  expect(new URLSearchParams(window.location.search).get('invoice')).toBe('inv')
  expect(window.location.hash).toBe(`#${TOKEN}`)
  expect(localStorage.length).toBe(0)
})

test('returning from a checkout without the fragment still knows the link', async () => {
  open(`/refill#${TOKEN}`)
  await screen.findByRole('radio')
  await press('Continue')
  cleanup()
  status = 'Settled'
  open('/refill?invoice=inv')
  expect(await screen.findByText('$5.00 added. Thank you!')).toBeDefined()
  expect(window.location.hash).toBe(`#${TOKEN}`)
})

test.each(['/refill#rf-short', '/refill'])(
  '%s does not pay into a link that was opened before',
  async address => {
    open(`/refill#${TOKEN}`)
    await screen.findByRole('radio')
    cleanup()
    open(address)
    expect(screen.getByRole('alert').textContent).toContain('not whole')
  },
)

test('a revoked link says so on opening, and shows no form', async () => {
  isRevoked = true
  open(`/refill#${TOKEN}`)
  expect((await screen.findByRole('alert')).textContent).toContain('has been revoked')
  expect(screen.queryByRole('textbox')).toBeNull()
  expect(calls.map(({ path }) => path)).toEqual(['/topup/refill'])
})

test('replacing a link asks for confirmation first', async () => {
  creditIdStore.write(CREDIT_ID)
  renderInEnglish(<RefillSection />)
  await screen.findByRole('button', { name: 'Create link' })
  await press('Create link')
  cleanup()
  renderInEnglish(<RefillSection />)
  await screen.findByRole('button', { name: 'Create a new link' })
  await press('Create a new link')
  const question = within(screen.getByRole('dialog', { name: 'Replace this link?' }))
  const before = calls.length
  await act(async () => fireEvent.click(question.getByRole('button', { name: 'Create a new link' })))
  expect(calls.slice(before)[0]).toMatchObject({ method: 'POST' })
  expect(screen.getByDisplayValue(`http://localhost/refill#${TOKEN}`)).toBeDefined()
})

test('the name of a link is shown as text, in its own direction', async () => {
  name = 'مدرسة <b>Anna</b>'
  open(`/refill#${TOKEN}`)
  const shown = await screen.findByText(name)
  expect(shown.getAttribute('dir')).toBe('auto')
  expect(shown.children).toHaveLength(0)
})

test('a link can have a name, which is not part of its address', async () => {
  creditIdStore.write(CREDIT_ID)
  renderInEnglish(<RefillSection />)
  const field = await screen.findByLabelText<HTMLInputElement>('What it is for (optional)')
  expect(field.maxLength).toBe(80)
  fireEvent.change(field, { target: { value: 'Anna’s school' } })
  await press('Create link')
  expect(calls.at(-1)).toMatchObject({ method: 'POST', body: { name: 'Anna’s school' } })
  expect(screen.getByText('Anna’s school')).toBeDefined()
  expect(screen.getByDisplayValue(`http://localhost/refill#${TOKEN}`)).toBeDefined()
})

test('a link is created, shown once, and revoked after a confirmation', async () => {
  creditIdStore.write(CREDIT_ID)
  renderInEnglish(<RefillSection />)
  await screen.findByRole('button', { name: 'Create link' })
  await press('Create link')
  expect(document.activeElement).toBe(screen.getByDisplayValue(`http://localhost/refill#${TOKEN}`))
  cleanup()
  renderInEnglish(<RefillSection />)
  expect(await screen.findByText(/You have had a link since/)).toBeDefined()
  expect(document.body.innerHTML).not.toContain(TOKEN)
  const created = calls.filter(({ method }) => method === 'POST').length
  await press('Create a new link')
  const replacing = within(screen.getByRole('dialog', { name: 'Replace this link?' }))
  expect(calls.filter(({ method }) => method === 'POST')).toHaveLength(created)
  fireEvent.click(replacing.getByRole('button', { name: 'Cancel' }))
  await press('Revoke link')
  const question = () => within(screen.getByRole('dialog', { name: 'Revoke this link?' }))
  fireEvent.click(question().getByRole('button', { name: 'Cancel' }))
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(calls.some(({ method }) => method === 'DELETE')).toBe(false)
  await press('Revoke link')
  await act(async () => fireEvent.click(question().getByRole('button', { name: 'Revoke link' })))
  expect(screen.getByRole('button', { name: 'Create link' })).toBeDefined()
  const title = screen.getByRole('heading', { name: 'Refill link' })
  await waitFor(() => expect(document.activeElement).toBe(title))
})
