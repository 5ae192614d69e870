import type { ReactNode } from 'react'
import { SiteLinks } from '@/components/legal/site-links'
import { serverSettings } from '@/lib/config/server-settings'

interface ReadingLayoutProps {
  children: ReactNode
}

/** Every page but the chat, which fills its window, ends with who runs the site. */
export default function ReadingLayout({ children }: ReadingLayoutProps) {
  return (
    <>
      {children}
      <SiteLinks operatorName={serverSettings().operatorName} />
    </>
  )
}
