import type { Metadata } from 'next'

/** Only the browser that keeps the conversation can show it, and knows what it is called. */
export const metadata: Metadata = { robots: { index: false, follow: false } }

/** One conversation; what is shown stands in the layout, and the id is read from the address by the browser alone. */
export default function ConversationPage() {
  return null
}
