/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import type { Query } from '@/lib/api/contracts/queries'
import { creditIdStore } from '@/lib/local/credit-id'
import { type FakeCall, fakeServer, press, renderInEnglish, stubDialogs } from '@/test/support/render'
import { someCall } from './testing'
import { UsageSection } from './usage-section'
import { WhyThisCost } from './why-this-cost'

const CREDIT_ID = '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01'
const entry = (id: string, part: Partial<Query> = {}) =>
  someCall({
    id,
    timestamp: new Date().toISOString(),
    model: 'small-model',
    input_count: 1200,
    cached_input_count: 200,
    output_count: 30,
    price_in_usd: 0.00107,
    price_snapshot: { prompt: '0.000001', completion: '0.000002', input_cache_read: '0.00000005' },
    duration_ms: 1500,
    ...part,
  })
const FAILED = entry('failed', { price_in_usd: 0, status: 'failed', error_code: 'upstream_error' })

const MODELS = {
  data: [{ id: 'b', name: 'Brief', pricing: { prompt: '0.0000005', completion: '0.000001' } }],
}

let calls: FakeCall[] = []
let saved: string[] = []

beforeEach(() => {
  stubDialogs()
  localStorage.clear()
  creditIdStore.write(CREDIT_ID)
  saved = []
  Reflect.set(URL, 'createObjectURL', () => 'blob:x')
  Reflect.set(URL, 'revokeObjectURL', () => {})
  jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(
    this: HTMLAnchorElement,
  ) {
    saved.push(`${this.download} ${this.href}`)
  })
  calls = fakeServer(({ path }) => {
    if (path.endsWith('/receipt')) return { text: 'e30.e30.AA' }
    if (path.startsWith('/v1/models')) return { text: JSON.stringify(MODELS) }
    if (path === '/keys') return { json: { data: [] } }
    if (path === '/queries/unknown') return { status: 404, json: { error: { code: 'not_found' } } }
    if (path.startsWith('/queries/e'))
      return { json: entry('e1', { estimated: true, cost_basis: 'local_count' }) }
    if (path.includes('format=csv')) return { text: 'timestamp,model\r\n' }
    if (path.includes('limit=500')) return { json: { data: [entry('e1'), FAILED], next_cursor: null } }
    return path.includes('cursor=next')
      ? { json: { data: [FAILED], next_cursor: null } }
      : { json: { data: [entry('e1')], next_cursor: 'next' } }
  })
})
afterEach(() => {
  cleanup()
  jest.restoreAllMocks()
})

const pages = () => calls.filter(({ path }) => path.includes('limit=10&')).map(({ path }) => path)

test('requests have the credit in a header and never in the address', async () => {
  renderInEnglish(<UsageSection />)
  await screen.findByRole('button', { name: '$0.00107: why this cost?' })
  expect(new Set(calls.map(call => call.authorization))).toEqual(new Set([`Bearer ${CREDIT_ID}`]))
  expect(calls.some(({ path }) => path.includes(CREDIT_ID.slice(0, 8)))).toBe(false)
})

test('the number of calls is announced after the person has asked for others, not when the page opens', async () => {
  renderInEnglish(<UsageSection />)
  const more = await screen.findByRole('button', { name: 'Load more' })
  await new Promise(resolve => setTimeout(resolve, 300))
  expect(screen.queryByText('1 call shown')).toBeNull()
  fireEvent.click(more)
  expect(await screen.findByText('2 calls shown')).toBeDefined()
})

test('“Load more” shows older calls, failed ones at $0.00, until there are no more', async () => {
  renderInEnglish(<UsageSection />)
  const more = await screen.findByRole('button', { name: 'Load more' })
  more.focus()
  fireEvent.click(more)
  expect(await screen.findByText('Failed')).toBeDefined()
  expect(calls.filter(({ path }) => path.includes('cursor=next')).map(({ path }) => path)).toEqual([
    expect.stringContaining('limit=50'),
  ])
  expect(screen.getByRole('button', { name: '$0.00: why this cost?' })).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull()
  // The focus does not go with the button.
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Download as CSV' }))
})

test('a charged call that broke off is not called failed', async () => {
  const paid = { price_in_usd: 0.0002, status: 'failed', error_code: 'upstream_error' } as const
  fakeServer(({ path }) => ({
    json: path === '/keys' ? { data: [] } : { data: [entry('paid', paid)], next_cursor: null },
  }))
  renderInEnglish(<UsageSection />)
  expect(await screen.findByText('Broke off')).toBeDefined()
  expect(screen.queryByText('Failed')).toBeNull()
})

test('a filter sends a new request', async () => {
  renderInEnglish(<UsageSection />)
  await screen.findByRole('option', { name: 'small-model' })
  fireEvent.change(screen.getByLabelText('Model'), { target: { value: 'small-model' } })
  await waitFor(() => expect(pages().at(-1)).toContain('model=small-model'))
  fireEvent.change(screen.getByLabelText('Period'), { target: { value: 'all' } })
  await waitFor(() => expect(pages().at(-1)).not.toContain('from='))
})

test('a choice that no call fits is not called a period without calls, and is announced', async () => {
  fakeServer(({ path }) => ({
    json: {
      data: path === '/keys' || path.includes('model=') ? [] : [entry('e1')],
      next_cursor: null,
    },
  }))
  renderInEnglish(<UsageSection />)
  await screen.findByRole('option', { name: 'small-model' })
  fireEvent.change(screen.getByLabelText('Model'), { target: { value: 'small-model' } })
  expect(await screen.findByText('No such calls in this period.')).toBeDefined()
  expect(await screen.findByText('0 calls shown')).toBeDefined()
})

test('the CSV file is fetched with the credential and saved from memory', async () => {
  renderInEnglish(<UsageSection />)
  const button = await screen.findByRole('button', { name: 'Download as CSV' })
  await act(async () => fireEvent.click(button))
  await waitFor(() => expect(saved).toEqual(['usage.csv blob:x']))
  expect(calls.at(-1)?.authorization).toBe(`Bearer ${CREDIT_ID}`)
})

test('a price shows its calculation: counts times prices, cache discount, hold and charge', async () => {
  renderInEnglish(<UsageSection />)
  fireEvent.click(await screen.findByRole('button', { name: '$0.00107: why this cost?' }))
  const dialog = screen.getByRole('dialog').textContent
  expect(dialog).toContain('1,000 tokens at $1.00 per million')
  expect(dialog).toContain('The cache saved you $0.00019.')
  expect(dialog).toContain('$0.01')
  expect(dialog).not.toContain('estimate')
})

test('the cost of an answer is explained by its exchange id, and says that the counts are our own', async () => {
  renderInEnglish(<WhyThisCost exchangeId="e1" />)
  expect(await screen.findByText(/we counted what you received/)).toBeDefined()
  expect(screen.getByText(/our own estimate/)).toBeDefined()
  expect(calls.map(({ path }) => path)).toEqual(['/queries/e1'])
})

test('an answer paid by another credit says so', async () => {
  renderInEnglish(<WhyThisCost exchangeId="unknown" />)
  expect(await screen.findByText(/paid from another credit/)).toBeDefined()
})

test('the signed receipt of a call can be downloaded', async () => {
  renderInEnglish(<UsageSection />)
  fireEvent.click(await screen.findByRole('button', { name: '$0.00107: why this cost?' }))
  fireEvent.click(screen.getByRole('button', { name: 'Download the signed receipt' }))
  await waitFor(() => expect(saved).toEqual(['receipt-e1.jws blob:x']))
  expect(calls.find(({ path }) => path === '/queries/e1/receipt')?.authorization).toBe(`Bearer ${CREDIT_ID}`)
})

test('a monthly statement names the local month, sums its calls by model, and compares them with another model', async () => {
  renderInEnglish(<UsageSection />)
  fireEvent.click(await screen.findByRole('button', { name: 'Monthly statement' }))
  const month = await screen.findByRole('combobox', { name: 'Month' })
  const thisMonth = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' }).format(new Date())
  const statement = await screen.findByRole('region', { name: `Statement for ${thisMonth}` })
  expect((await screen.findByRole('row', { name: /^Total/ })).textContent).toBe('Total2 calls$0.00107')
  const other = await screen.findByRole('combobox', { name: 'The same on another model' })
  fireEvent.change(other, { target: { value: 'b' } })
  // 1,200 input and 30 output tokens: $0.00063 of $0.00107.
  expect(statement.textContent).toContain('The same on Brief: $0.00063, 41% less.')
  expect(statement.textContent).toContain('Of 1 text call for $0.00107')
  expect(statement.textContent).toContain('200 tokens came from a cache')
  fireEvent.change(month, { target: { value: '1' } })
  await waitFor(() => {
    const ranges = calls
      .filter(({ path }) => path.includes('to='))
      .map(({ path }) => new URLSearchParams(path))
    expect(ranges.at(-1)?.get('to')).toBe(ranges[0]?.get('from'))
    expect(ranges).toHaveLength(2)
  })
})

test('a statement that is opened again has the calls made since', async () => {
  let made = [entry('e1')]
  fakeServer(({ path }) => ({ json: { data: path === '/keys' ? [] : made, next_cursor: null } }))
  renderInEnglish(<UsageSection />)
  await press('Monthly statement')
  expect((await screen.findByRole('row', { name: /^Total/ })).textContent).toBe('Total1 call$0.00107')
  await press('Monthly statement')
  made = [entry('e2'), ...made]
  await press('Monthly statement')
  await waitFor(() =>
    expect(screen.getByRole('row', { name: /^Total/ }).textContent).toBe('Total2 calls$0.00214'),
  )
})

test('without a network, one sentence says so once, and no chart of another period stands beside it', async () => {
  let isAway = false
  const answer = () => {
    if (isAway) throw new TypeError('Failed to fetch')
    return { json: { data: [entry('e1')], next_cursor: null } }
  }
  calls = fakeServer(({ path }) => (path === '/keys' ? { json: { data: [] } } : answer()))
  renderInEnglish(<UsageSection />)
  const csv = await screen.findByRole('button', { name: 'Download as CSV' })
  expect(await screen.findByRole('table', { name: 'Spent per model' })).toBeDefined()
  isAway = true
  fireEvent.click(csv)
  const sentences = () => screen.queryAllByText(/No connection to the server/)
  await waitFor(() => expect(sentences()).toHaveLength(1))
  fireEvent.click(screen.getByRole('button', { name: 'Monthly statement' }))
  await screen.findByRole('combobox', { name: 'Month' })
  await screen.findByRole('button', { name: 'Try again' })
  expect(sentences()).toHaveLength(1)
  fireEvent.change(screen.getByLabelText('Period'), { target: { value: 'week' } })
  await waitFor(() => expect(screen.queryByRole('table', { name: 'Spent per model' })).toBeNull())
  expect(sentences()).toHaveLength(1)

  isAway = false
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByRole('table', { name: 'Spent per model' })).toBeDefined()
  expect(await screen.findByRole('row', { name: /^Total/ })).toBeDefined()
  expect(await screen.findByRole('button', { name: 'Download as CSV' })).toBeDefined()
  expect(sentences()).toHaveLength(0)
})

test.each([
  ['the statement is closed, once nothing else failed', 'Monthly statement', false],
  ['a retry has succeeded, with the file that failed before', 'Try again', true],
])('why nothing could be fetched is said until %s', async (_, pressed, isFileAsked) => {
  let isAway = false
  calls = fakeServer(({ path }) => {
    if (isAway) return { status: 500, json: { error: { code: 'internal_error' } } }
    return { json: { data: path === '/keys' ? [] : [entry('e1')], next_cursor: null } }
  })
  renderInEnglish(<UsageSection />)
  await screen.findByRole('button', { name: 'Download as CSV' })
  isAway = true
  if (isFileAsked) await press('Download as CSV')
  await press('Monthly statement')
  await screen.findByRole('button', { name: 'Try again' })
  isAway = false
  await press(pressed)
  await waitFor(() => expect(screen.queryByText(/went wrong on our side/)).toBeNull())
})

test('a file that failed is forgotten once other calls are chosen', async () => {
  const ok = fakeServer(({ path }) => {
    if (path === '/keys') return { json: { data: [] } }
    if (path.includes('format=csv')) return { status: 500, json: { error: { code: 'internal_error' } } }
    return { json: { data: [entry('e1')], next_cursor: null } }
  })
  renderInEnglish(<UsageSection />)
  await screen.findByRole('button', { name: 'Download as CSV' })
  await press('Download as CSV')
  expect(ok.some(({ path }) => path.includes('format=csv'))).toBe(true)
  expect(await screen.findByText(/went wrong on our side/)).toBeDefined()
  fireEvent.change(screen.getByLabelText('Period'), { target: { value: 'week' } })
  await waitFor(() => expect(screen.queryByText(/went wrong on our side/)).toBeNull())
})
