/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, render, screen } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import { en } from '@/test/support/messages'
import { EMPTY_DRAFT } from '../draft-store'
import { chatModel } from '../testing'
import type { MessageQueue } from './queue-store'
import { QueuedMessages } from './queued-messages'

const QUEUE: MessageQueue = {
  conversationId: 'c',
  messages: [
    {
      id: 'q',
      draft: { ...EMPTY_DRAFT, text: 'And then?' },
      model: chatModel({}),
      acceptedUsd: 0,
      isOpen: false,
    },
  ],
  heldBy: null,
}

const queued = (isAnswering: boolean) => (
  <NextIntlClientProvider locale="en" messages={en} timeZone="UTC">
    <QueuedMessages queue={QUEUE} isAnswering={isAnswering} />
  </NextIntlClientProvider>
)
const status = () => screen.getByRole('status').textContent

afterEach(() => {
  jest.useRealTimers()
  cleanup()
})

test('a message that is about to follow its answer is not announced as unsent', () => {
  jest.useFakeTimers()
  const { rerender } = render(queued(true))
  rerender(queued(false))
  expect(status()).toBe('One message follows this answer.')
  expect(screen.queryByRole('button', { name: 'Go on' })).toBeNull()
  act(() => jest.advanceTimersByTime(1_000))
  expect(status()).toBe('One message is not sent yet.')
  expect(screen.getByRole('button', { name: 'Go on' })).toBeTruthy()
})

test('a message that was left in the queue is shown as unsent at once', () => {
  render(queued(false))
  expect(status()).toBe('One message is not sent yet.')
  expect(screen.getByRole('button', { name: 'Go on' })).toBeTruthy()
})
