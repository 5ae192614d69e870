/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { cleanup, screen, within } from '@testing-library/react'
import type { ReactNode } from 'react'
import { decimal, someModel } from '@/lib/catalogue/domain/testing'
import { FREE_PRICES } from '@/lib/catalogue/domain/usable-prices'
import { renderInEnglish } from '@/test/support/render'
import { readPricingQuery } from './pricing-query'

// There is no router here.
const Form = ({ children }: { children: ReactNode }) => <form>{children}</form>
jest.unstable_mockModule('next/form', () => ({ default: Form }))
const { Pricing } = await import('./pricing')

afterEach(cleanup)

test.each([
  ['', ''],
  ['cheap', '1 model found.'],
  ['maker', '2 models found.'],
  ['nowhere', 'No model matches “nowhere”. Try a shorter search.'],
])('the number of results of a search for %j is announced', (search, told) => {
  const models = ['cheap', 'dear'].map(name => someModel({ id: `maker/${name}`, name, prices: FREE_PRICES }))
  renderInEnglish(<Pricing action="/pricing" models={models} query={readPricingQuery({ q: search })} />)
  expect(screen.getAllByRole('status').map(({ textContent }) => textContent)).toContain(told)
})

test('the list says what an everyday message is', () => {
  renderInEnglish(<Pricing action="/pricing" models={[someModel({})]} query={readPricingQuery({})} />)
  expect(screen.getByText(/^An everyday message/).textContent).toContain(
    'reads 300 tokens (about 225 words, earlier messages included) and writes 400, and 1,500 more',
  )
})

test('a message costs as many cents as the chat says, in the list and in the calculator', () => {
  // 300 tokens read and 400 written.
  const prices = { ...FREE_PRICES, prompt: decimal('0.0000001'), completion: decimal('0.0000004') }
  const models = [someModel({ id: 'maker/cheap', name: 'cheap', prices })]
  const query = readPricingQuery({ messages: '10', read: '225', written: '300' })
  renderInEnglish(<Pricing action="/pricing" models={models} query={query} />)
  expect(within(screen.getByRole('row', { name: /maker\/cheap/ })).getByText('0.019 cents').title).toBe(
    '$0.00019',
  )
  expect(screen.getByText(/for 10 messages at 0.019 cents each/).textContent).toMatch(/^0.19 cents/)
})

test('only models that are chosen by it are listed with a context', () => {
  const models = (['chat', 'embedding', 'image', 'speech', 'transcription'] as const).map(kind =>
    someModel({ id: `maker/${kind}`, name: kind, kind, contextLength: 4_000, prices: FREE_PRICES }),
  )
  renderInEnglish(<Pricing action="/pricing" models={models} query={readPricingQuery({})} />)
  const withContext = screen
    .getAllByRole('rowheader')
    .filter(({ textContent }) => textContent?.includes('4,000 tokens of context'))
  expect(withContext.map(({ textContent }) => textContent?.match(/^[a-z]+/)?.[0])).toEqual([
    'chatmaker',
    'embeddingmaker',
  ])
})

test('of many models the first sixty of each kind are listed, and a link leads to all that were searched for', () => {
  const models = (['chat', 'image'] as const).flatMap(kind =>
    Array.from({ length: 70 }, (_, index) =>
      someModel({ id: `maker/${kind}-${index}`, name: `${kind} ${index}`, kind, prices: FREE_PRICES }),
    ),
  )
  const query = { q: 'maker', sort: 'name', messages: '10' }
  const countRows = () => screen.getAllByRole('rowheader').length
  renderInEnglish(<Pricing action="/pricing" models={models} query={readPricingQuery(query)} />)
  expect(countRows()).toBe(120)
  const address = screen.getByRole('link', { name: 'Show all 140 models' }).getAttribute('href') ?? ''
  expect(address).toMatch(/^\/pricing\?/)
  const followed = Object.fromEntries(new URL(address, 'https://site.test').searchParams)
  expect(readPricingQuery(followed)).toEqual({ ...readPricingQuery(query), isComplete: true })
  cleanup()
  renderInEnglish(<Pricing action="/pricing" models={models} query={readPricingQuery(followed)} />)
  expect(countRows()).toBe(140)
  expect(screen.queryByRole('link')).toBeNull()
  const submitted = [...document.forms].map(form => readPricingQuery(fieldsOf(form)))
  const same = { isComplete: true, search: 'maker', sort: 'name', messageCount: 10 }
  expect(submitted).toMatchObject([same, same])
})

test('the link to all models leads to the first that was not listed, which takes its focus', () => {
  const models = Array.from({ length: 70 }, (_, index) =>
    someModel({ id: `maker/model-${index}`, name: `model ${index}`, prices: FREE_PRICES }),
  )
  const show = (query: Record<string, string>) =>
    renderInEnglish(<Pricing action="/pricing" models={models} query={readPricingQuery(query)} />)
  show({})
  const link = screen.getByRole<HTMLAnchorElement>('link', { name: 'Show all 70 models' })
  expect(link.hash).not.toBe('')
  cleanup()
  // Of somebody who opens the address of the whole list, the focus is not taken.
  show({ all: '1' })
  expect(document.activeElement).toBe(document.body)
  cleanup()
  window.location.hash = link.hash
  show({ all: '1' })
  expect(document.activeElement).toBe(screen.getByRole('rowheader', { name: /maker\/model-60/ }))
  window.location.hash = ''
})

function fieldsOf(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))
}
