'use client'

import { useTranslations } from 'next-intl'
import { AccountSection } from '@/components/account/account-section'
import { runningStore, useStore } from '@/components/ui/use-store'
import { ConnectWallet } from './connect-wallet'
import styles from './wallet-section.module.css'
import { WalletSettings } from './wallet-settings'

/** Connects the person's own wallet, and lets it top up automatically. */
export function WalletSection() {
  const t = useTranslations('wallet')
  const isRunning = useStore(runningStore)
  return (
    <AccountSection id="wallet" title={t('title')} lead={t('lead')}>
      {isRunning ? (
        <WalletSettings />
      ) : (
        // Whether a wallet is connected is not known yet. Most have none, and what is below must not move from under a
        // finger.
        <div className={styles.room} inert>
          <ConnectWallet />
        </div>
      )}
    </AccountSection>
  )
}
