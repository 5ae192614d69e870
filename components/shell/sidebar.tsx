'use client'

import { CircleUserRound, Keyboard, MessageSquarePlus, Plus, Settings, Tags } from 'lucide'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { useCreditId } from '@/components/credit/use-credit-id'
import { shortcutListStore } from '@/components/shortcuts/shortcut-list-store'
import { Button } from '@/components/ui/button'
import { Icon } from '@/components/ui/icon'
import { lazyPart } from '@/components/ui/lazy-part'
import { useStore } from '@/components/ui/use-store'
import { isChatAddress } from '@/lib/i18n/chat-address'
import { Link, usePathname } from '@/lib/i18n/navigation'
import { conversationDataStore } from './conversation-data'
import { HomeLink } from './home-link'
import { LanguageLinks } from './language-links'
import styles from './sidebar.module.css'
import { useNewChat } from './use-new-chat'

/** Loaded on demand, since a first visitor has no conversations to list. */
const ConversationList = lazyPart(
  async () => (await import('@/components/chat/conversation-list')).ConversationList,
)

const LowBalanceNotice = lazyPart(
  async () => (await import('@/components/usage/low-balance/low-balance-notice')).LowBalanceNotice,
)

interface SidebarContentProps {
  isSandbox: boolean
  /** The links to terms and privacy. */
  legal: ReactNode
  inDrawer?: boolean
  /** Called when the person chose something that is shown elsewhere. */
  onLeave?: () => void
}

type SidebarProps = Pick<SidebarContentProps, 'isSandbox' | 'legal'> & { appName: string }

/** The sidebar of wide windows; on a phone the drawer has the same content. */
export function Sidebar({ appName, isSandbox, legal }: SidebarProps) {
  return (
    <aside className={styles.sidebar}>
      <HomeLink appName={appName} className={styles.home} />
      <SidebarContent isSandbox={isSandbox} legal={legal} />
    </aside>
  )
}

export function SidebarContent({ isSandbox, legal, inDrawer = false, onLeave }: SidebarContentProps) {
  const t = useTranslations('conversations')
  const shell = useTranslations('shell')
  const isChat = isChatAddress(usePathname())
  const startNewChat = useNewChat()
  const hasConversations = useStore(conversationDataStore)
  const creditId = useCreditId()
  return (
    <div className={inDrawer ? `${styles.content} ${styles.inDrawer}` : styles.content}>
      <nav className={styles.conversations} aria-label={t('label')}>
        {/* In the chat the bar above the drawer has this button; a second one would confuse. */}
        {!(inDrawer && isChat) && (
          <Button
            variant="quiet"
            className={styles.newChat}
            onClick={() => {
              startNewChat()
              onLeave?.()
            }}
          >
            <Icon icon={MessageSquarePlus} size={18} />
            {t('newChat')}
          </Button>
        )}
        {hasConversations ? (
          <ConversationList onOpened={onLeave} />
        ) : (
          <p className={styles.empty}>{t('none')}</p>
        )}
      </nav>
      <div className={styles.foot}>
        {/* Loaded with the first credit: without one there is nothing to run low. */}
        {creditId && <LowBalanceNotice />}
        <PageLinks onLeave={onLeave} />
        {inDrawer && (
          <div className={styles.languages}>
            <LanguageLinks />
          </div>
        )}
        {legal}
        {isSandbox && (
          <p className={styles.sandbox}>
            <strong>{shell('sandboxTitle')}</strong> {shell('sandboxText')}
          </p>
        )}
      </div>
    </div>
  )
}

const PAGES = [
  { name: 'topUp', href: '/top-up', icon: Plus, className: styles.topUp },
  { name: 'flow.pricing', href: '/pricing', icon: Tags, className: '' },
  { name: 'flow.account', href: '/account', icon: CircleUserRound, className: '' },
  { name: 'settings', href: '/account#settings', icon: Settings, className: '' },
] as const

function PageLinks({ onLeave }: { onLeave?: () => void }) {
  const t = useTranslations('shell')
  const shortcuts = useTranslations('shortcuts')
  const pathname = usePathname()
  const openShortcutList = () => {
    onLeave?.()
    shortcutListStore.set(true)
  }
  return (
    <nav aria-label={t('navigation')} className={styles.links}>
      {PAGES.map(({ name, href, icon, className }) => (
        <Link
          key={name}
          href={href}
          className={`${styles.link} ${className}`}
          aria-current={href === pathname ? 'page' : undefined}
          onClick={onLeave}
        >
          <Icon icon={icon} size={18} strokeWidth={1.75} />
          {t(name)}
        </Link>
      ))}
      <button
        type="button"
        className={`${styles.link} ${styles.keys}`}
        aria-haspopup="dialog"
        onClick={openShortcutList}
      >
        <Icon icon={Keyboard} size={18} strokeWidth={1.75} />
        {shortcuts('title')}
      </button>
    </nav>
  )
}
