/** @jest-environment jsdom */
import { expect, jest, test } from '@jest/globals'
import { act, screen, waitFor } from '@testing-library/react'
import { complaints } from '@/test/support/complaints'
import { renderInEnglish } from '@/test/support/render'

jest.unstable_mockModule('next/navigation', () => ({ useRouter: () => ({}) }))
jest.unstable_mockModule('@/lib/i18n/navigation', () => ({ usePathname: () => '/pricing' }))
jest.unstable_mockModule('@/components/chat/select-conversation', (): never => {
  throw new Error('Failed to fetch dynamically imported module')
})
const { useNewChat } = await import('./use-new-chat')

function NewChat() {
  return (
    <button type="button" onClick={useNewChat()}>
      New chat
    </button>
  )
}

test('a new chat whose code cannot be loaded is a new page', async () => {
  window.history.replaceState(null, '', '/pricing')
  renderInEnglish(<NewChat />)
  await act(async () => screen.getByRole('button').click())
  // jsdom's message for a navigation.
  await waitFor(() => expect(complaints).not.toEqual([]))
  expect(complaints.splice(0)).toEqual([expect.stringContaining('Not implemented: navigation')])
})
