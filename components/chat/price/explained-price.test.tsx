/** @jest-environment jsdom */
import { expect, test } from '@jest/globals'
import { fireEvent, screen } from '@testing-library/react'
import { renderInEnglish, stubDialogs } from '@/components/account/testing'
import { useStore } from '@/components/ui/use-store'
import { outgoingContext } from '@/lib/exchange/client/outgoing'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { EARLIER_MESSAGES_HIGHEST, type Message } from '@/lib/local/domain/conversation'
import { ExplainedPrice } from './explained-price'

const MODEL = {
  id: 'm',
  name: 'M',
  takesPictures: false,
  takesFiles: false,
  draws: false,
  windowTokens: null,
  controls: { temperature: true, outputTokensMax: null, efforts: [] },
  prices: { prompt: '0.000001', completion: '0.000002' },
}

function Shown() {
  const conversation = useStore(conversationStore).find(({ id }) => id === 'c') ?? null
  const said: Message[] = [...(conversation?.messages ?? []), { role: 'user', content: 'And now?' }]
  const context = outgoingContext(said, conversation, null)
  return <ExplainedPrice model={MODEL} context={context} conversation={conversation} onClose={() => {}} />
}

test('how many earlier messages go along is chosen for the conversation, and given up again', () => {
  stubDialogs()
  const messages = Array.from({ length: 8 }, (_, index): Message => {
    const role = index % 2 === 0 ? 'user' : 'assistant'
    return { id: `m${index}`, role, content: 'word '.repeat(300), status: 'completed' }
  })
  conversationStore.saveConversation({ id: 'c', created_at: '2026-11-20T00:00:00.000Z', messages })
  renderInEnglish(<Shown />)
  const slider = screen.getByRole('slider', { name: 'Earlier messages that go along' })
  expect(slider.getAttribute('aria-valuetext')).toBe('8 of 8')
  const chosen = () => conversationStore.get('c')?.earlier_messages_max

  fireEvent.change(slider, { target: { value: '2' } })
  // While it is being moved nothing is written.
  expect(chosen()).toBeUndefined()
  fireEvent.keyUp(slider)
  expect(chosen()).toBe(2)
  expect(screen.getByText('2 earlier messages')).toBeTruthy()

  fireEvent.change(slider, { target: { value: '8' } })
  fireEvent.pointerUp(slider)
  // All of them, and those that are still to come.
  expect(chosen()).toBe(EARLIER_MESSAGES_HIGHEST)
  fireEvent.click(screen.getByRole('button', { name: 'As in every chat' }))
  expect(chosen()).toBeUndefined()
})
