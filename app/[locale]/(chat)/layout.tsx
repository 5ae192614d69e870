import { getTranslations } from 'next-intl/server'
import { Chat } from '@/components/chat/chat'
import { ClientMessages } from '@/components/shell/client-messages'
import { NeedsScript } from '@/components/shell/needs-script'
import { VisuallyHidden } from '@/components/ui/visually-hidden'
import { serverSettings } from '@/lib/config/server-settings'

/** Shared by all addresses of the chat, so that the chat stays mounted when the address changes. */
export default async function ChatLayout({ children }: LayoutProps<'/[locale]'>) {
  const t = await getTranslations('shell')
  const { appName, curatedModels } = serverSettings()
  const siteTitle = t('siteTitle', { appName })
  return (
    <ClientMessages
      namespaces={['chat', 'compare', 'cost', 'dictation', 'prompts', 'speech', 'topUp', 'carry']}
    >
      <VisuallyHidden as="h1">{siteTitle}</VisuallyHidden>
      <NeedsScript />
      <Chat appName={appName} siteTitle={siteTitle} curatedIds={curatedModels} />
      {children}
    </ClientMessages>
  )
}
