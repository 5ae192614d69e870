/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { Suspense } from 'react'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import type { Message } from '@/lib/local/domain/conversation'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { fakeServer, renderInEnglish, stubDialogs } from '@/test/support/render'
import { mockPage } from './testing'

/** Code that never loads, as on a very slow network. */
const never = () => new Promise<never>(() => {})
jest.unstable_mockModule('./message-list', never)
jest.unstable_mockModule('@/components/speech/read-aloud', never)
jest.unstable_mockModule('@/components/usage/why-this-cost', never)
mockPage()

const { Chat } = await import('./chat')
const { AnswerFooter } = await import('./answer-footer')

afterEach(cleanup)

test('the question is shown before the code of the message list has loaded', async () => {
  stubDialogs()
  fakeServer(() => ({ json: { data: [] } }))
  const at = new Date().toISOString()
  const messages: Message[] = [
    { role: 'user', id: 'q', content: 'Where did it go?', created_at: at },
    { role: 'assistant', id: 'a', content: '', created_at: at, status: 'completed' },
  ]
  conversationStore.saveConversation({ id: crypto.randomUUID(), created_at: at, messages })
  selectedConversationStore.select(conversationStore.getSnapshot()[0]?.id ?? null)
  await act(async () => void renderInEnglish(<Chat appName="Tuppence" siteTitle="Tuppence: pay as you go" />))
  expect(screen.getByText('Where did it go?')).toBeTruthy()
  expect(screen.getByRole('textbox', { name: 'Message' })).toBeTruthy()
})

test('the footer stays visible while the code for reading aloud loads', async () => {
  settingsStore.update({ audioEnabled: true })
  const receipt = { cost_usd: '0.002', input_token_count: 1, output_token_count: 1, estimated: false }
  await act(
    async () =>
      void renderInEnglish(
        <Suspense fallback="gone">
          <AnswerFooter
            message={{ role: 'assistant', content: 'Here.', id: 'a', exchange_id: 'e', receipt }}
            text="Here."
            modelName="Painter"
            phase={null}
            isDrawing={false}
            isLast={false}
            versions={null}
            actions={null}
          />
        </Suspense>,
      ),
  )
  expect(screen.queryByText('gone')).toBeNull()
  const details = screen.getByText('0.2 cents').closest('details')
  if (!details) throw new Error('no details')
  details.open = true
  await act(async () => void fireEvent(details, new Event('toggle')))
  expect(screen.getByText('0.2 cents')).toBeTruthy()
  expect(screen.queryByText('gone')).toBeNull()
})
