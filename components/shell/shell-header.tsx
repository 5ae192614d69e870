import { getLocale, getTranslations } from 'next-intl/server'
import { BalanceStatus } from '@/components/credit/balance-status'
import { Support, type SupportWidget } from '@/components/support/support'
import { Link } from '@/lib/i18n/navigation'
import { formatBalance } from '@/lib/money/format-money'
import { Coin } from './coin'
import styles from './shell-header.module.css'
import { ShellNav } from './shell-nav'

interface ShellHeaderProps {
  appName: string
  supportWidget: SupportWidget | null
}

export async function ShellHeader({ appName, supportWidget }: ShellHeaderProps) {
  const [t, locale] = await Promise.all([getTranslations('shell'), getLocale()])
  return (
    <header className={styles.header}>
      <Link href="/" className={styles.name} aria-label={t('homeLabel', { appName })}>
        <Coin />
        <span className={styles.nameText}>{appName}</span>
      </Link>
      <ShellNav />
      <div className={styles.money}>
        <BalanceStatus zero={formatBalance(0, locale)} />
        <Link href="/top-up" className={styles.topUp}>
          {t('topUp')}
        </Link>
        {supportWidget && <Support widget={supportWidget} appName={appName} />}
      </div>
    </header>
  )
}
