/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { useState } from 'react'
import { DataFetching } from '@/components/shell/data-fetching'
import { creditIdStore } from '@/lib/local/credit-id'
import { type FakeCall, fakeServer, renderInEnglish, stubDialogs } from '@/test/support/render'
import { KeysSection } from './keys-section'

const CREDIT_ID = '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01'
const key = (id: string, part: Record<string, unknown> = {}) => ({
  id,
  label: `Key ${id}`,
  hint: 'abcd',
  usage_limit_usd: null,
  usage_usd: 0,
  reset_period: 'none',
  expire_at: null,
  created_at: 1_700_000_000,
  revoked_at: null,
  ...part,
})

let keys: unknown[] = []
let failure: string | null = null
let calls: FakeCall[] = []

beforeEach(() => {
  stubDialogs()
  localStorage.clear()
  creditIdStore.write(CREDIT_ID)
  keys = []
  failure = null
  calls = fakeServer(({ method, path }) => {
    if (failure && method !== 'GET') return { status: 503, json: { error: { code: failure } } }
    if (path.startsWith('/v1/models'))
      return { json: { data: [{ id: 'small-model', context_length: 32_000 }] } }
    if (method === 'POST') return { status: 201, json: { ...key('new'), key: 'sk-the-secret' } }
    return { json: method === 'GET' ? { data: keys } : key('a') }
  })
})
afterEach(cleanup)

const click = (name: string | RegExp) =>
  act(async () => fireEvent.click(screen.getByRole('button', { name })))
const sent = (method: string) => calls.filter(call => call.method === method)

function AnotherPage() {
  const [isOpen, setOpen] = useState(true)
  return (
    <DataFetching>
      <button type="button" onClick={() => setOpen(!isOpen)}>
        Go
      </button>
      {isOpen && <KeysSection />}
    </DataFetching>
  )
}

async function createKey() {
  renderInEnglish(<KeysSection />)
  await screen.findByText(/No active keys/)
  await click('Create key')
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'Editor' } })
  fireEvent.change(screen.getByLabelText('Limit in US dollars'), { target: { value: '2.50' } })
  fireEvent.change(screen.getByLabelText('Limit resets'), { target: { value: 'monthly' } })
  // The position of the button, below a long form.
  screen.getByRole('dialog').scrollTop = 400
  await act(async () =>
    fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Create key' })),
  )
}

test('without a credit nothing is shown or requested', () => {
  creditIdStore.remove()
  const { container } = renderInEnglish(<KeysSection />)
  expect(container.textContent).toBe('')
  expect(calls).toEqual([])
})

test('what a key has spent is read anew whenever the section is opened', async () => {
  keys = [key('a')]
  renderInEnglish(<AnotherPage />)
  await screen.findByText(/\$0\.00/)
  await click('Go')
  keys = [key('a', { usage_usd: 0.25 })]
  await click('Go')
  expect(await screen.findByText(/\$0\.25/)).toBeDefined()
})

test('an invalid limit is refused before sending, and its field gets the focus', async () => {
  renderInEnglish(<KeysSection />)
  await click('Create key')
  fireEvent.change(screen.getByLabelText('Limit in US dollars'), { target: { value: '0' } })
  await act(async () =>
    fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Create key' })),
  )
  expect(screen.getByText('The smallest limit is one cent.')).toBeDefined()
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Limit in US dollars')))
  expect(sent('POST')).toEqual([])
})

test('a failed creation says why, in view, and keeps what was typed', async () => {
  failure = 'ledger_unavailable'
  await createKey()
  const submit = within(screen.getByRole('dialog')).getByRole('button', { name: 'Create key' })
  await waitFor(() => expect(document.activeElement).toBe(submit))
  expect(screen.getByText(/Balances cannot be reached/)).toBeDefined()
  expect(screen.getByDisplayValue('Editor')).toBeDefined()
})

test('creating a key sends its settings with the credit as bearer, and shows the secret with an example', async () => {
  await createKey()
  expect(sent('POST')).toEqual([
    {
      method: 'POST',
      path: '/keys',
      authorization: `Bearer ${CREDIT_ID}`,
      body: {
        label: 'Editor',
        usage_limit_usd: 2.5,
        reset_period: 'monthly',
        routing: null,
        expire_at: null,
      },
    },
  ])
  expect(screen.getByDisplayValue('sk-the-secret')).toBeDefined()
  // The text above says that it is shown only once.
  expect(screen.getByRole('dialog').scrollTop).toBe(0)
  await waitFor(() => expect(screen.getByText(/"small-model"/)).toBeDefined())
})

test('the tool settings have a placeholder until the key is filled in', async () => {
  await createKey()
  const code = () => screen.getByRole('region', { name: /What to copy into/ }).textContent ?? ''
  expect(code()).toContain('YOUR_API_KEY')
  expect(code()).not.toContain('sk-the-secret')
  fireEvent.click(screen.getByRole('switch', { name: 'Fill in this key' }))
  fireEvent.change(screen.getByLabelText('Tool'), { target: { value: 'codex' } })
  expect(code()).toMatch(/wire_api = "responses"[\s\S]*sk-the-secret/)
  await waitFor(() => expect(code()).toContain('\nmodel_context_window = 32000\n'))
})

test('the secret survives the first press on Close, and not the second', async () => {
  await createKey()
  await click('Close')
  expect(screen.getByDisplayValue('sk-the-secret')).toBeDefined()
  expect(screen.getByText(/cannot be shown again\. Copy it first/)).toBeDefined()
  await click('Close')
  expect(screen.queryByDisplayValue('sk-the-secret')).toBeNull()
})

test('a limit is shown as a meter, and revoked keys are folded away', async () => {
  keys = [
    key('a', { usage_limit_usd: 2, usage_usd: 0.5, reset_period: 'daily' }),
    key('b', { revoked_at: 5 }),
  ]
  renderInEnglish(<KeysSection />)
  const meter = await screen.findByRole('meter', { name: 'Limit of Key a' })
  expect(meter.getAttribute('aria-valuetext')).toBe('$0.50 of $2.00 used today')
  expect(screen.getByText('1 revoked key').closest('details')?.open).toBe(false)
  expect(screen.queryByRole('button', { name: 'Revoke Key b' })).toBeNull()
})

test('where every key is revoked, the list does not say that there never was one', async () => {
  keys = [key('a', { revoked_at: 5 })]
  renderInEnglish(<KeysSection />)
  await screen.findByText('1 revoked key')
  expect(screen.getByText(/Create one to use this credit/).textContent).not.toContain('yet')
})

test('a key without a label is shown under a name in the page’s language', async () => {
  keys = [key('a', { label: '' })]
  renderInEnglish(<KeysSection />)
  expect((await screen.findByRole('listitem')).textContent).toContain('API key')
  expect(screen.getByRole('button', { name: 'Revoke API key' })).toBeDefined()
})

test('a key without a label has none after its other settings are changed', async () => {
  keys = [key('a', { label: '' })]
  renderInEnglish(<KeysSection />)
  await screen.findByRole('listitem')
  await click('Edit API key')
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('')
  fireEvent.change(screen.getByLabelText('Limit in US dollars'), { target: { value: '2' } })
  await click('Save')
  expect(sent('PATCH')[0]?.body).toMatchObject({ label: '', usage_limit_usd: 2 })
})

test('an ambiguous limit asks for its meaning', async () => {
  renderInEnglish(<KeysSection />)
  await screen.findByText(/No active keys/)
  await click('Create key')
  const field = screen.getByLabelText<HTMLInputElement>('Limit in US dollars')
  const submit = () =>
    act(async () =>
      fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Create key' })),
    )
  fireEvent.change(field, { target: { value: '1.000' } })
  await submit()
  expect(sent('POST')).toEqual([])
  await click('$1,000.00')
  expect(document.activeElement).toBe(field)
  await submit()
  expect(sent('POST')[0]?.body).toMatchObject({ usage_limit_usd: 1000 })
})

test('the list shows the other restrictions of a key', async () => {
  const provider = { zdr: true, data_collection: 'deny', max_price: { completion: '2.5' } }
  const routing = { provider, service_tier: null, max_charge_usd: 0.05, models: ['a/one', 'b/two'] }
  keys = [key('a', { routing }), key('b')]
  renderInEnglish(<KeysSection />)
  const [bounded, free] = await screen.findAllByRole('listitem')
  expect(bounded?.textContent).toContain(
    'at most $0.05 per request · output up to $2.50 per million tokens · only 2 models · only providers that keep nothing',
  )
  expect(free?.textContent).not.toContain('only')
})

test('a key is revoked only after a confirmation', async () => {
  keys = [key('a')]
  renderInEnglish(<KeysSection />)
  await screen.findByText('Key a')
  await click('Revoke Key a')
  expect(sent('DELETE')).toEqual([])
  keys = [key('a', { revoked_at: 5 })]
  await click('Revoke key')
  expect(sent('DELETE').map(call => call.path)).toEqual(['/keys/a'])
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  // The key's own buttons are gone.
  await waitFor(() => expect(document.activeElement?.textContent).toBe('API keys'))
})
