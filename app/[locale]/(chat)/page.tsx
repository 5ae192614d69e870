import type { Metadata } from 'next'
import { getLocale } from 'next-intl/server'
import { alternates } from '@/lib/i18n/alternates'

export async function generateMetadata(): Promise<Metadata> {
  return { alternates: alternates(await getLocale(), '/') }
}

/** A new chat; what is shown stands in the layout. */
export default function ChatPage() {
  return null
}
