'use client'

import { useTranslations } from 'next-intl'
import { AccountSection } from '@/components/account/account-section'
import { lazyPart } from '@/components/ui/lazy-part'

const WalletSettings = lazyPart(async () => (await import('./wallet-settings')).WalletSettings, 'with-error')

/** Connects the person's own wallet, and lets it top up automatically. */
export function WalletSection() {
  const t = useTranslations('wallet')
  return (
    <AccountSection id="wallet" title={t('title')} lead={t('lead')}>
      <WalletSettings />
    </AccountSection>
  )
}
