/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { useStore } from '@/components/ui/use-store'
import { outgoingContext } from '@/lib/exchange/client/outgoing'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { EARLIER_MESSAGES_HIGHEST, type Message } from '@/lib/local/domain/conversation'
import { renderInEnglish, stubDialogs } from '@/test/support/render'
import { chatModel } from '../testing'
import { ExplainedPrice } from './explained-price'

const MODEL = chatModel({ prices: { prompt: '0.000001', completion: '0.000002' } })

function Shown({ id = 'c' }) {
  const conversation = useStore(conversationStore).find(one => one.id === id) ?? null
  const said: Message[] = [...(conversation?.messages ?? []), { role: 'user', content: 'And now?' }]
  const context = outgoingContext(said, conversation, null)
  return <ExplainedPrice model={MODEL} context={context} conversation={conversation} onClose={() => {}} />
}

const turns = (count: number): Message[] =>
  Array.from({ length: count }, (_, index) => {
    const role = index % 2 === 0 ? 'user' : 'assistant'
    return { id: `m${index}`, role, content: 'word '.repeat(300), status: 'completed' }
  })
const CREATED = { id: 'c', created_at: '2026-11-20T00:00:00.000Z' }
const slider = () => screen.getByRole('slider', { name: 'Earlier messages sent along' })

beforeEach(() => {
  localStorage.clear()
  stubDialogs()
})
afterEach(cleanup)

test('with a summary, all counts include the messages after it, and not the summary itself', () => {
  const summary: Message = {
    role: 'assistant',
    content: 'Short. '.repeat(20),
    parent: 'm3',
    summarises: true,
    status: 'completed',
  }
  const messages = turns(8).map((one, index) => (index === 1 ? { ...one, left_out: true } : one))
  const branches = [{ ...summary, id: 's' }]
  conversationStore.saveConversation({ ...CREATED, id: 'said', messages, branches })
  renderInEnglish(<Shown id="said" />)
  expect(slider().getAttribute('aria-valuetext')).toBe('4 of 4')
  expect(screen.getByText('4 earlier messages')).toBeTruthy()
  expect(screen.getByText('Summary')).toBeTruthy()
  // Messages that the summary covers can no longer be selected.
  expect(screen.getAllByRole('switch', { hidden: true })).toHaveLength(4)
  fireEvent.change(slider(), { target: { value: '0' } })
  fireEvent.keyUp(slider())
  expect(slider().getAttribute('aria-valuetext')).toBe('0 of 4')
  expect(screen.queryByText(/earlier messages?$/)).toBeNull()
  expect(screen.getByText('Summary')).toBeTruthy()
})

test('the number of earlier messages can be set for the conversation, and reset', () => {
  conversationStore.saveConversation({ ...CREATED, messages: turns(8) })
  renderInEnglish(<Shown />)
  expect(slider().getAttribute('aria-valuetext')).toBe('8 of 8')
  const chosen = () => conversationStore.get('c')?.earlier_messages_max

  // In whole turns: the first step includes one question and its answer.
  fireEvent.change(slider(), { target: { value: '1' } })
  expect(slider().getAttribute('aria-valuetext')).toBe('2 of 8')
  // Nothing is stored while the slider is being moved.
  expect(chosen()).toBeUndefined()
  fireEvent.keyUp(slider())
  expect(chosen()).toBe(2)
  expect(screen.getByText('2 earlier messages')).toBeTruthy()

  fireEvent.change(slider(), { target: { value: '4' } })
  fireEvent.pointerUp(slider())
  // All messages, including future ones.
  expect(chosen()).toBe(EARLIER_MESSAGES_HIGHEST)
  fireEvent.click(screen.getByRole('button', { name: 'As in every chat' }))
  expect(chosen()).toBeUndefined()
})
