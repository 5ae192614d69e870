/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import type { ReactNode } from 'react'
import { en } from '@/test/support/messages'
import { arriving } from './arriving'

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

test('a part that does not arrive leaves the page as it is, and comes with the network', async () => {
  const Part = arriving(offlineOnce())
  await show(<Part name="you" meanwhile={<p>Soon</p>} />)
  expect(screen.getByText('The page')).toBeTruthy()
  expect(screen.getByText('Soon')).toBeTruthy()
  await act(async () => void fireEvent(window, new Event('online')))
  expect(screen.getByText('Hello you')).toBeTruthy()
  expect(screen.queryByText('Soon')).toBeNull()
})

test('where it was asked for, its place says why it is empty, and it is fetched the next time', async () => {
  const Part = arriving(offlineOnce(), 'told')
  await show(<Part name="you" />)
  expect(screen.getByRole('alert').textContent).toBe(en.errors.network)
  cleanup()
  await show(<Part name="you" />)
  expect(screen.getByText('Hello you')).toBeTruthy()
  expect(screen.queryByRole('alert')).toBeNull()
})
