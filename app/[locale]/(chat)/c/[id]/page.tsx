import type { Metadata } from 'next'

/**
 * Only the browser that stores the conversation can show it and knows its title, so search engines have nothing to
 * index.
 */
export const metadata: Metadata = { robots: { index: false, follow: false } }

/** The address of a conversation. The layout renders the chat, and only the browser reads the id from the address. */
export default function ConversationPage() {
  return null
}
