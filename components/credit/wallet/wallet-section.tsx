'use client'

import { useTranslations } from 'next-intl'
import { AccountSection } from '@/components/account/account-section'
import { arriving } from '@/components/ui/arriving'

const WalletSettings = arriving(async () => (await import('./wallet-settings')).WalletSettings, 'told')

/** The person's own wallet: connect it, and let it top up by itself. */
export function WalletSection() {
  const t = useTranslations('wallet')
  return (
    <AccountSection id="wallet" title={t('title')} lead={t('lead')}>
      <WalletSettings />
    </AccountSection>
  )
}
