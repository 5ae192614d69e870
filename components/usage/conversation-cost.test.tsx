/** @jest-environment jsdom */
import { expect, test } from '@jest/globals'
import { screen } from '@testing-library/react'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { renderInEnglish } from '@/test/support/render'
import { ConversationCost } from './conversation-cost'

test('what a chat has cost is rounded as all prices are, and exact in its tooltip', () => {
  const receipt = { cost_usd: '0.000685', input_token_count: 1, output_token_count: 1, estimated: false }
  const created_at = '2026-11-20T00:00:00.000Z'
  conversationStore.saveConversation({
    id: 'c',
    created_at,
    messages: [
      { id: 'q', role: 'user', content: 'Why?', created_at },
      { id: 'a', role: 'assistant', content: 'So.', created_at, status: 'completed', receipt },
    ],
  })
  selectedConversationStore.select('c')
  renderInEnglish(<ConversationCost />)
  const cost = screen.getByText(/^This chat so far: 0\.069\scents for 1 answer/)
  expect(cost.title).toBe('$0.000685')
})
