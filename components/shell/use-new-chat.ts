import type { Route } from 'next'
import { useRouter } from 'next/navigation'
import { useLocale } from 'next-intl'
import { focusMessageBox } from '@/components/ui/focus'
import { isChatAddress } from '@/lib/i18n/chat-address'
import { getPathname } from '@/lib/i18n/locale-path'
import { usePathname } from '@/lib/i18n/navigation'

/** Goes to the chat if another page is shown. */
export function useGoToChat(): () => void {
  const router = useRouter()
  const locale = useLocale()
  const isChat = isChatAddress(usePathname())
  return () => {
    if (!isChat) router.push(getPathname({ locale, href: '/' }) as Route)
  }
}

/**
 * Begins a new chat from any page. The code for conversations is loaded on demand. If it does not come, as after an
 * update of the site, the page is loaded again, which begins a new chat as well.
 */
export function useNewChat(): () => void {
  const goToChat = useGoToChat()
  const locale = useLocale()
  return () => {
    import('@/components/chat/select-conversation').then(
      ({ startNewChat }) => {
        startNewChat()
        goToChat()
        focusMessageBox()
      },
      () => window.location.assign(getPathname({ locale, href: '/' })),
    )
  }
}
