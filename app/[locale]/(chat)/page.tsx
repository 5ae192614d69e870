import type { Metadata } from 'next'
import { getLocale, getTranslations } from 'next-intl/server'
import { Chat } from '@/components/chat/chat'
import { ClientMessages } from '@/components/shell/client-messages'
import { VisuallyHidden } from '@/components/ui/visually-hidden'
import { serverSettings } from '@/lib/config/server'
import { alternates } from '@/lib/i18n/alternates'

export async function generateMetadata(): Promise<Metadata> {
  return { alternates: alternates(await getLocale(), '/') }
}

export default async function ChatPage() {
  const t = await getTranslations('shell')
  const { appName } = serverSettings()
  return (
    <ClientMessages namespaces={['chat', 'cost', 'speech']}>
      <VisuallyHidden as="h1">{t('siteTitle', { appName })}</VisuallyHidden>
      <Chat />
    </ClientMessages>
  )
}
