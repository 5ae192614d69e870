/** @jest-environment jsdom */
import { expect, test } from '@jest/globals'
import { act, fireEvent, screen } from '@testing-library/react'
import type { Message } from '@/lib/local/domain/conversation'
import { en } from '@/test/support/messages'
import { renderInEnglish, stubResizeObserver } from '@/test/support/render'
import { MessageList } from './message-list'
import { keepReadingPlace } from './reading-places'
import { NOTHING_NEXT } from './use-next-message'

const messages = Array.from({ length: 30 }, (_, index): Message => {
  return { id: `q${index}`, role: 'user', content: `Question ${index}.` }
})
const summary: Message = {
  id: 's',
  parent: 'q3',
  role: 'assistant',
  content: 'In short.',
  summarises: true,
  status: 'completed',
}
const CONVERSATION = { id: 'c', created_at: '2026-11-20T00:00:00.000Z', messages, branches: [summary] }

test('the button to the latest message is hidden while a message is being edited', async () => {
  stubResizeObserver()
  keepReadingPlace('c', { messageId: 'q4', top: 0 })
  renderInEnglish(
    <MessageList
      conversation={CONVERSATION}
      models={[]}
      next={NOTHING_NEXT}
      model={null}
      ask={async () => undefined}
    />,
  )
  const isThere = () => screen.queryByRole('button', { name: en.chat.jumpToLatest }) !== null
  expect(isThere()).toBe(true)
  fireEvent.click(await screen.findByRole('button', { name: en.common.edit }))
  const box = screen.getByRole('textbox', { name: en.chat.editMessage })
  expect(isThere()).toBe(false)
  act(() => box.blur())
  expect(isThere()).toBe(true)
  act(() => box.focus())
  expect(isThere()).toBe(false)
  // No blur event fires for an element that is removed.
  fireEvent.click(screen.getByRole('button', { name: en.common.cancel }))
  expect(isThere()).toBe(true)
})
