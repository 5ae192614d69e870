/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { cleanup, screen } from '@testing-library/react'
import type { Message } from '@/lib/local/domain/conversation'
import { renderInEnglish } from '@/test/support/render'
import { DayLine, MessageTime } from './message-time'

const at = (created_at?: string): Message => ({ role: 'user', content: 'text', created_at })

beforeEach(() => {
  jest.useFakeTimers({ now: new Date(2026, 10, 22, 12) })
})
afterEach(() => {
  cleanup()
  jest.useRealTimers()
})
const local = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString()

test('a message shows when it was written', () => {
  renderInEnglish(<MessageTime message={at(local(20, 9))} />)
  const time = screen.getByRole('time')
  expect(time.getAttribute('datetime')).toBe(local(20, 9))
  expect(time.title).toContain('November 20, 2026')
})

test.each([undefined, 'long ago'])('a message with the time %s is shown without one', created_at => {
  const { container } = renderInEnglish(<MessageTime message={at(created_at)} />)
  expect(container.textContent).toBe('')
})

test.each([
  ['the first of today', at(local(22, 9)), null, ''],
  ['the first of another day', at(local(20, 9)), null, 'Nov 20, 2026'],
  ['one on the same day', at(local(20, 11)), at(local(20, 9)), ''],
  ['one on a later day', at(local(21, 9)), at(local(20, 23)), 'Nov 21, 2026'],
  ['one after a message without a time', at(local(21, 9)), at(), ''],
])('the line above %s shows the day if it is a new one', (_, message, previous, text) => {
  const { container } = renderInEnglish(<DayLine message={message} previous={previous} />)
  expect(container.textContent).toContain(text)
  expect(container.textContent === '').toBe(text === '')
})
