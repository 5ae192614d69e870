/** @jest-environment jsdom */
import 'fake-indexeddb/auto'
import { expect, test } from '@jest/globals'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { addTurns } from '@/lib/local/domain/turns'
import { openConversation } from './open-conversation'

const message = (id: string, content: string) => ({ role: 'user' as const, id, content })

test('opening a search result on a branch shows that branch; opening without a search changes nothing', async () => {
  const empty = { id: 'c', created_at: '2026-11-20T00:00:00.000Z', messages: [] }
  const first = addTurns(empty, null, [message('a', 'In the forest')])
  conversationStore.saveConversation(addTurns(first, null, [message('b', 'By the sea')]))
  const shown = () => selectedConversationStore.getSnapshot()?.messages.map(({ content }) => content)
  await openConversation('c', 'SEA')
  expect(shown()).toEqual(['By the sea'])
  await openConversation('c', 'forêst')
  expect(shown()).toEqual(['In the forest'])
  await openConversation('c')
  expect(shown()).toEqual(['In the forest'])
})
