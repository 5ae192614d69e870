/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { cleanup, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { renderInEnglish } from '@/components/account/testing'
import { someModel } from '@/lib/catalogue/domain/testing'
import { FREE_PRICES } from '@/lib/catalogue/domain/usable-prices'
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
