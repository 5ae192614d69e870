/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, render, waitFor } from '@testing-library/react'
import { useEffect, useSyncExternalStore } from 'react'
import { conversationDataStore } from '@/components/shell/conversation-data'
import type { Conversation } from '@/lib/local/domain/conversation'
import { createExternalStore } from '@/lib/local/storage/external-store'

const addressStore = createExternalStore('/')
const usePathname = () => useSyncExternalStore(addressStore.subscribe, addressStore.getSnapshot)
jest.unstable_mockModule('next/navigation', () => ({ usePathname }))
const { PageTitle } = await import('./page-title')

const SITE_TITLE = 'Tuppence: pay as you go'
const at = '2026-11-22T00:00:00.000Z'
const conversationWith = (status: 'streaming' | 'completed'): Conversation => ({
  id: 'sea',
  created_at: at,
  messages: [
    { role: 'user', id: '1', content: 'What is in the sea?', created_at: at },
    { role: 'assistant', id: '2', content: '', created_at: at, status },
  ],
})

let announced: string[] = []

/** As Next's router does, with every new address. */
function Announcer() {
  const pathname = usePathname()
  // biome-ignore lint/correctness/useExhaustiveDependencies: announces after every change of the address
  useEffect(() => void announced.push(document.title), [pathname])
  return null
}

function page(conversation: Conversation | null) {
  return (
    <>
      <PageTitle conversation={conversation} appName="Tuppence" siteTitle={SITE_TITLE} />
      <Announcer />
    </>
  )
}

afterEach(() => {
  cleanup()
  addressStore.set('/')
  announced = []
})

test('the title of a chat that is opened is announced', async () => {
  const { rerender } = render(page(null))
  await act(async () => {
    conversationDataStore.set(true)
    await import('@/lib/local/conversations/conversation-text')
  })
  rerender(page(conversationWith('completed')))
  act(() => addressStore.set('/c/sea'))
  expect(announced).toEqual([SITE_TITLE, 'What is in the sea? · Tuppence'])
})

test('the title of a chat that begins is that of its question, but not what the router announces', async () => {
  const { rerender } = render(page(null))
  rerender(page(conversationWith('streaming')))
  act(() => addressStore.set('/c/sea'))
  expect(announced).toEqual([SITE_TITLE, SITE_TITLE])
  await waitFor(() => expect(document.title).toBe('What is in the sea? · Tuppence'))
})
