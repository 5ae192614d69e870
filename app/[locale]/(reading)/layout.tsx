import type { ReactNode } from 'react'
import { SiteLinks } from '@/components/legal/site-links'
import { serverSettings } from '@/lib/config/server-settings'

interface ReadingLayoutProps {
  children: ReactNode
}

/** All pages but the chat, which fills the window, end with the site's operator and links. */
export default function ReadingLayout({ children }: ReadingLayoutProps) {
  return (
    <>
      {children}
      <SiteLinks operatorName={serverSettings().operatorName} />
    </>
  )
}
