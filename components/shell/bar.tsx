'use client'

import { MessageSquarePlus, PanelLeft, Plus } from 'lucide'
import { useTranslations } from 'next-intl'
import { type ReactNode, useState } from 'react'
import { createPortal } from 'react-dom'
import { BalanceStatus } from '@/components/credit/balance-status'
import { Dialog } from '@/components/ui/dialog'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { useStore } from '@/components/ui/use-store'
import { isChatAddress } from '@/lib/i18n/chat-address'
import { Link, usePathname } from '@/lib/i18n/navigation'
import { createExternalStore } from '@/lib/local/storage/external-store'
import styles from './bar.module.css'
import { HomeLink } from './home-link'
import { SidebarContent } from './sidebar'
import { useNewChat } from './use-new-chat'

interface BarProps {
  appName: string
  isSandbox: boolean
  /** Zero, formatted. */
  zero: string
  /** The support button, if support is configured. */
  support: ReactNode
  /** The links to terms and privacy, for the drawer. */
  legal: ReactNode
}

/** The bar above every page: all controls on a phone; elsewhere those that are not in the sidebar. */
export function Bar({ appName, isSandbox, zero, support, legal }: BarProps) {
  const t = useTranslations('conversations')
  const shell = useTranslations('shell')
  const pathname = usePathname()
  const isChat = isChatAddress(pathname)
  const startNewChat = useNewChat()
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  const closeDrawer = () => setDrawerOpen(false)
  return (
    <header className={styles.bar} data-lined={!isChat}>
      <IconButton
        className={styles.onPhone}
        label={t('open')}
        icon={<Icon icon={PanelLeft} size={20} />}
        aria-haspopup="dialog"
        data-shortcut="drawer"
        onClick={() => setDrawerOpen(true)}
      />
      <div ref={place => barPlaceStore.set(place)} className={styles.place} />
      {!isChat && (
        <div className={`${styles.onPhone} ${styles.home}`}>
          <HomeLink appName={appName} />
        </div>
      )}
      <div className={styles.money}>
        <div>
          <BalanceStatus zero={zero} />
          {isSandbox && <span className={styles.sandbox}>{shell('sandboxMark')}</span>}
        </div>
        {/* Not on the refill page, where a person who came to pay for somebody else would top up their own credit. */}
        {pathname !== '/refill' && (
          <Link href="/top-up" className={styles.topUp}>
            <Icon icon={Plus} size={16} />
            <span className={styles.topUpText}>{shell('topUp')}</span>
          </Link>
        )}
      </div>
      {support}
      {isChat && (
        <IconButton
          className={styles.onPhone}
          label={t('newChat')}
          icon={<Icon icon={MessageSquarePlus} size={20} />}
          onClick={startNewChat}
        />
      )}
      <Dialog open={isDrawerOpen} onClose={closeDrawer} title={appName} look="drawer">
        <SidebarContent isSandbox={isSandbox} legal={legal} inDrawer onLeave={closeDrawer} />
      </Dialog>
    </header>
  )
}

const barPlaceStore = createExternalStore<HTMLElement | null>(null)

/** Renders a page's own controls into the bar. */
export function InBar({ children }: { children: ReactNode }) {
  const place = useStore(barPlaceStore)
  return place && createPortal(children, place)
}
