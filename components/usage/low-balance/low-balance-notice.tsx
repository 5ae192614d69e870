'use client'

import { X } from 'lucide'
import { useTranslations } from 'next-intl'
import { focusAfterRender, focusMessageBox } from '@/components/ui/focus'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { useStore } from '@/components/ui/use-store'
import { Link, usePathname } from '@/lib/i18n/navigation'
import { walletRecord } from '@/lib/local/wallet/wallet-stores'
import styles from './low-balance.module.css'
import { useLowBalance } from './use-low-balance'

/** On these pages money is already being added. */
const SILENT_PATHS = ['/top-up', '/refill']

/** Says in words, where there is room, what the colour of the balance shows everywhere. */
export function LowBalanceNotice() {
  const common = useTranslations('common')
  const wallet = useTranslations('credit.wallet')
  const path = usePathname()
  const hasWallet = useStore(walletRecord) !== null
  const { warning, dismiss } = useLowBalance()
  if (warning === null || SILENT_PATHS.includes(path)) return null
  const close = () => {
    dismiss()
    // The button disappears with the notice, which on a phone is in the drawer.
    if (document.querySelector('dialog[open]')) focusAfterRender('dialog[open] h2')
    else focusMessageBox()
  }
  return (
    <div className={styles.notice}>
      <p className={styles.text}>
        {warning} {!hasWallet && <Link href="/account#wallet">{wallet('offer')}</Link>}
      </p>
      <IconButton size="small" label={common('close')} icon={<Icon icon={X} size={16} />} onClick={close} />
    </div>
  )
}
