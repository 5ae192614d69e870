import type { Metadata } from 'next'
import { getLocale } from 'next-intl/server'
import { alternates } from '@/lib/i18n/alternates'

export async function generateMetadata(): Promise<Metadata> {
  return { alternates: alternates(await getLocale(), '/') }
}

/** The address of a new chat. The layout renders the chat. */
export default function ChatPage() {
  return null
}
