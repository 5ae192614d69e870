/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import type { ComponentProps } from 'react'

// The page determines which form a bundler uses; here there is no router for either.
jest.unstable_mockModule('next/form', () => ({
  default: ({
    replace: _,
    scroll: __,
    prefetch: ___,
    ...rest
  }: ComponentProps<'form'> & Record<string, unknown>) => <form {...rest} />,
}))
const { QueryForm } = await import('./query-form')

const sent: string[] = []
// jsdom lacks it.
HTMLFormElement.prototype.requestSubmit = function requestSubmit() {
  sent.push([...new FormData(this)].map(pair => pair.join('=')).join('&'))
}

afterEach(cleanup)

test('a selected option is submitted at once, typed text only on submit', () => {
  render(
    <QueryForm action="/pricing" role="search" kept={{ all: '1', model: '' }}>
      <input aria-label="Name" name="q" defaultValue="penny" />
      <select aria-label="Order" name="sort">
        <option>name</option>
        <option>message</option>
      </select>
    </QueryForm>,
  )
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'dollar' } })
  expect(sent).toEqual([])
  fireEvent.change(screen.getByLabelText('Order'), { target: { value: 'message' } })
  expect(sent).toEqual(['all=1&q=dollar&sort=message'])
})
