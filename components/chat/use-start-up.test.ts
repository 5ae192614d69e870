/** @jest-environment jsdom */
import { expect, test } from '@jest/globals'
import { renderHook } from '@testing-library/react'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { draftStore, EMPTY_DRAFT, NEW_CHAT } from './draft-store'
import { useStartUp } from './use-start-up'

test('what another app shares stands in a new chat, and takes nothing from what was being written there', () => {
  draftStore.set(NEW_CHAT, { ...EMPTY_DRAFT, text: 'Half a question' })
  selectedConversationStore.select('another')
  window.location.hash = `#share=${encodeURIComponent('A page\nhttps://page.example/?a=b')}`
  renderHook(() => useStartUp())
  expect(draftStore.get(NEW_CHAT).text).toBe('Half a question\n\nA page\nhttps://page.example/?a=b')
  expect(selectedConversationStore.selectedId()).toBeNull()
  expect(window.location.hash).toBe('')
})
