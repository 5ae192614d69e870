/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import type { Conversation, Message } from '@/lib/local/domain/conversation'
import { renderInEnglish, stubResizeObserver } from '@/test/support/render'
import type { ChatModel } from './chat-model'
import { EMPTY_DRAFT } from './draft-store'
import { MessageList } from './message-list'
import { chatModel } from './testing'
import { useNextMessage } from './use-next-message'

const MODEL = chatModel({ prices: { prompt: '0.000001', completion: '0.000002' } })

/** About 2,550 tokens, more than the initial memory. */
const LONG = 'word '.repeat(2500)

function conversationOf(...texts: string[]): Conversation {
  const messages = texts.map<Message>((content, index) => ({
    id: `message-${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    content,
    status: 'completed',
  }))
  return { id: 'c', created_at: '2026-11-20T00:00:00.000Z', messages }
}

const COMPARED: readonly ChatModel[] = []

function Shown({ conversation, model }: { conversation: Conversation; model: ChatModel }) {
  const next = useNextMessage(model, conversation, EMPTY_DRAFT, COMPARED)
  const { context } = next
  return (
    <>
      <MessageList
        conversation={conversation}
        models={[model]}
        next={next}
        model={null}
        ask={async () => undefined}
      />
      <output>{`${context?.earlierCount} of ${context?.earlierCounts.at(-1)}`}</output>
    </>
  )
}

const show = (conversation: Conversation, model = MODEL) =>
  act(async () => renderInEnglish(<Shown conversation={conversation} model={model} />))

const LINE = 'The model does not see what is above this line.'

beforeEach(() => {
  localStorage.clear()
  stubResizeObserver()
})
afterEach(() => {
  jest.useRealTimers()
  cleanup()
})

test('a conversation that is sent completely has no memory line', async () => {
  await show(conversationOf('one', LONG))
  expect(screen.queryByText(LINE)).toBeNull()
  expect(screen.getByRole('status', { name: '' }).textContent).toBe('2 of 2')
})

test('the memory line is above the first message that is sent; its button includes all, and shows the price', async () => {
  await show(conversationOf('old', LONG, 'new', 'answer'))
  const line = screen.getByText(LINE)
  const [above, below] = screen.getAllByRole('article', { name: 'Your message' })
  expect(above?.compareDocumentPosition(line)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  expect(below?.compareDocumentPosition(line)).toBe(Node.DOCUMENT_POSITION_PRECEDING)
  fireEvent.click(screen.getByRole('button', { name: 'Remember all: about 0.26 cents more a message' }))
  expect(screen.queryByText(LINE)).toBeNull()
  expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Messages' }))
  // The older messages, and room for as much again.
  expect(localStorage.getItem('maxContext')).toBe('5120')
})

test('messages left out after a summary cause no memory line; forgotten ones do', async () => {
  const { messages, ...rest } = conversationOf(
    'old',
    'said',
    'left out',
    'with it',
    'q',
    LONG,
    'new',
    'answer',
  )
  const leftOut = messages.map((one, index) => (index === 2 ? { ...one, left_out: true } : one))
  const summary: Message = {
    id: 'summary',
    role: 'assistant',
    content: 'In short.',
    status: 'completed',
    parent: 'message-1',
    summarises: true,
  }
  localStorage.setItem('maxContext', '5120')
  await show({ ...rest, messages: leftOut, branches: [summary] })
  expect(screen.getByRole('status', { name: '' }).textContent).toBe('4 of 4')
  expect(screen.queryByText(LINE)).toBeNull()
  cleanup()
  localStorage.setItem('maxContext', '2048')
  await show({ ...rest, messages: leftOut, branches: [summary] })
  expect(screen.getByRole('status', { name: '' }).textContent).toBe('2 of 4')
  const [, , , below] = screen.getAllByRole('article', { name: 'Your message' })
  expect(below?.compareDocumentPosition(screen.getByText(LINE))).toBe(Node.DOCUMENT_POSITION_PRECEDING)
})

test('messages beyond the model’s context window are not offered', async () => {
  await show(conversationOf('old', LONG, 'new', 'answer'), { ...MODEL, windowTokens: 2000 })
  expect(screen.getByText(LINE)).toBeDefined()
  expect(screen.queryByRole('button', { name: /Remember/ })).toBeNull()
  cleanup()
  await show(conversationOf('a', LONG, 'b', LONG, 'c', 'd'), { ...MODEL, windowTokens: 5000 })
  expect(await screen.findByRole('button', { name: /^Remember more: about/ })).toBeDefined()
})

test('an image model has no memory line', async () => {
  await show(conversationOf('old', LONG, 'new', 'answer'), { ...MODEL, draws: true })
  expect(screen.queryByText(LINE)).toBeNull()
})

test('the price of sending a long conversation appears once all of it is counted', async () => {
  jest.useFakeTimers()
  // More than is counted before the first render.
  await show(conversationOf(...Array.from({ length: 40 }, () => LONG)))
  expect(screen.getByText(LINE)).toBeTruthy()
  expect(screen.queryByRole('button', { name: /^Remember/ })).toBeNull()
  await act(async () => jest.advanceTimersByTime(1_000))
  expect(screen.getByRole('button', { name: /^Remember all/ })).toBeTruthy()
})
