/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, renderHook, screen } from '@testing-library/react'
import { useState } from 'react'
import { mostOutgoing, outgoingContext } from '@/lib/exchange/client/outgoing'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import type { Message } from '@/lib/local/domain/conversation'
import { formatUsd } from '@/lib/money/nano'
import { renderInEnglish, stubDialogs } from '@/test/support/render'
import { chatModel } from './testing'
import { useTurnActions } from './turn-actions'
import { UserMessage } from './user-message'

afterEach(cleanup)

const MODEL = chatModel({ takesPictures: true, prices: { prompt: '0.000001', completion: '0.000002' } })

test('editing a question shows the price of the new text, attachments included', async () => {
  stubDialogs()
  const picture = { type: 'image_url' as const, image_url: { url: 'image-store:1', created_at: '' } }
  const before: Message[] = [
    { id: 'q0', role: 'user', content: 'First' },
    { id: 'a0', role: 'assistant', content: 'Answer', status: 'completed' },
  ]
  const question: Message = { id: 'q', role: 'user', content: [{ type: 'text', text: 'What?' }, picture] }
  const saved = { id: 'c', created_at: '2026-11-20T00:00:00.000Z', messages: [...before, question] }
  conversationStore.saveConversation(saved)
  const ask = jest.fn<Parameters<typeof useTurnActions>[3]>(async () => {})
  const { result } = renderHook(() => useTurnActions('c', MODEL, [MODEL], ask))
  renderInEnglish(<UserMessage message={question} versions={null} actions={result.current} />)
  fireEvent.click(screen.getByRole('button', { name: 'Edit' }))
  // About 850 tokens for the picture and the text, and 400 for an answer at twice the price.
  const price = screen.getByRole('button', { name: /^≈ 0\.16 cents$/ })
  const box = screen.getByRole('textbox', { name: 'Edit message' })
  fireEvent.change(box, { target: { value: 'word '.repeat(2_000) } })
  expect(price.textContent).toBe('≈ 0.37 cents')

  fireEvent.click(price)
  const dialog = await screen.findByRole('dialog', { name: 'What this can cost' })
  // A key pressed there does not affect the form.
  fireEvent.keyDown(dialog, { key: 'Escape' })
  expect(screen.getByRole('textbox', { name: 'Edit message' })).toBe(box)

  fireEvent.click(screen.getByRole('button', { name: 'Send' }))
  const [edited] = ask.mock.calls[0] ?? []
  const sent: Message = {
    role: 'user',
    content: [{ type: 'text', text: 'word '.repeat(2_000).trim() }, picture],
  }
  const most = mostOutgoing(MODEL, outgoingContext([...before, sent], null, null), null)
  expect(most && formatUsd(most)).toBe(edited?.most && formatUsd(edited.most))
})

test('only the question that several models are answering is asked of all of them when it is edited', () => {
  const models = ['one', 'two'].map(id => chatModel({ id }))
  const answers = models.map(
    ({ id }): Message => ({
      id,
      role: 'assistant',
      content: 'So.',
      model: id,
      comparison: 'x',
      parent: 'q1',
    }),
  )
  const messages: Message[] = [
    { id: 'q0', role: 'user', content: 'First' },
    { id: 'a0', role: 'assistant', content: 'Answer', status: 'completed' },
    { id: 'q1', role: 'user', content: 'Why?' },
    ...answers.slice(0, 1),
  ]
  const branches = answers.slice(1)
  conversationStore.saveConversation({ id: 'c', created_at: '2026-11-20T00:00:00.000Z', messages, branches })
  const { result } = renderHook(() => useTurnActions('c', MODEL, models, async () => {}))
  const modelsAsked = (questionId: string) => result.current?.priceEdited(questionId, 'And?')?.models
  expect(modelsAsked('q1')).toEqual(models)
  expect(modelsAsked('q0')).toEqual([MODEL])
})

/** A question in a chat in which another tab can ask, too. */
function EditedElsewhere() {
  const [isAnswering, setAnswering] = useState(false)
  const question: Message = { id: 'q', role: 'user', content: 'What?' }
  const actions = useTurnActions('c', MODEL, [MODEL], async () => {})
  return (
    <>
      <button type="button" onClick={() => setAnswering(!isAnswering)}>
        Elsewhere
      </button>
      <UserMessage message={question} versions={null} actions={isAnswering ? null : actions} />
    </>
  )
}
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
const box = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Edit message' })

test('an edit survives Escape and the answers of other tabs, until it is cancelled', () => {
  renderInEnglish(<EditedElsewhere />)
  press('Edit')
  fireEvent.change(box(), { target: { value: 'What, and why?' } })
  press('Elsewhere')
  expect(screen.queryByRole('textbox', { name: 'Edit message' })).toBeNull()
  press('Elsewhere')
  expect(box().value).toBe('What, and why?')

  fireEvent.keyDown(box(), { key: 'Escape' })
  press('Edit')
  expect(box().value).toBe('What, and why?')

  press('Cancel')
  press('Edit')
  expect(box().value).toBe('What?')
})
