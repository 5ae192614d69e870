/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import type { ReactNode } from 'react'
import { en } from '@/test/support/messages'
import { lazyPart } from './lazy-part'

const show = (children: ReactNode) =>
  act(async () =>
    render(
      <NextIntlClientProvider locale="en" messages={en} timeZone="UTC">
        <p>The page</p>
        {children}
      </NextIntlClientProvider>,
    ),
  )
const Hello = ({ name }: { name: string }) => <p>Hello {name}</p>
const offlineOnce = () =>
  jest
    .fn<() => Promise<typeof Hello>>()
    .mockRejectedValueOnce(new Error('ChunkLoadError'))
    .mockResolvedValue(Hello)

afterEach(cleanup)

test('a part that fails to load leaves the page intact, and loads once the network is back', async () => {
  const Part = lazyPart(offlineOnce())
  await show(<Part name="you" fallback={<p>Soon</p>} />)
  expect(screen.getByText('The page')).toBeTruthy()
  expect(screen.getByText('Soon')).toBeTruthy()
  await act(async () => void fireEvent(window, new Event('online')))
  expect(screen.getByText('Hello you')).toBeTruthy()
  expect(screen.queryByText('Soon')).toBeNull()
})

test('a part that the person asked for shows an error if it fails to load, and loads the next time', async () => {
  const Part = lazyPart(offlineOnce(), 'with-error')
  await show(<Part name="you" />)
  expect(screen.getByRole('alert').textContent).toBe(en.errors.part_missing)
  cleanup()
  await show(<Part name="you" />)
  expect(screen.getByText('Hello you')).toBeTruthy()
  expect(screen.queryByRole('alert')).toBeNull()
})
