/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import type { Message } from '@/lib/local/domain/conversation'
import { en } from '@/test/support/messages'
import { renderInEnglish, stubResizeObserver } from '@/test/support/render'
import { EditForm } from './edit-form'
import { MessageList } from './message-list'
import { keepReadingPlace } from './reading-places'
import { NOTHING_NEXT } from './use-next-message'

afterEach(cleanup)

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

const box = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: en.chat.editMessage })
const pressKey = (key: string) => fireEvent.keyDown(box(), { key })
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

test.each<[string, () => void, string]>([
  ['is there again after Escape', () => pressKey('Escape'), 'What, and why?'],
  ['is there again after its chat was left', cleanup, 'What, and why?'],
  ['is gone once it is cancelled', () => press(en.common.cancel), 'What?'],
  ['is gone once it is sent', () => press(en.common.save), 'What?'],
  [
    'is there again after its price was declined',
    () => {
      press(en.common.save)
      pressKey('Escape')
    },
    'What, and why?',
  ],
])('what was written %s', (_what, end, expected) => {
  const id = crypto.randomUUID()
  const noop = () => {}
  const open = () => {
    cleanup()
    renderInEnglish(
      <EditForm id={id} text="What?" submitLabel={en.common.save} onSubmit={noop} onCancel={noop} />,
    )
  }
  open()
  fireEvent.change(box(), { target: { value: 'What, and why?' } })
  end()
  open()
  expect(box().value).toBe(expected)
})

test('what was written survives a reload, as it does on the way to a top-up', async () => {
  const noop = () => {}
  renderInEnglish(
    <EditForm id="q" text="What?" submitLabel={en.common.save} onSubmit={noop} onCancel={noop} />,
  )
  fireEvent.change(box(), { target: { value: 'What, and why?' } })
  jest.resetModules()
  const reloaded = await import('./draft-store')
  expect(reloaded.draftStore.get('q').text).toBe('What, and why?')
})
