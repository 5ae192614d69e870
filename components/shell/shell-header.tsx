import { getLocale, getTranslations } from 'next-intl/server'
import { BalanceStatus } from '@/components/credit/balance-status'
import { Support, type SupportWidget } from '@/components/support/support'
import { Link } from '@/lib/i18n/navigation'
import { formatMoney } from '@/lib/money/format-money'
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
        <BalanceStatus zero={formatMoney(0, locale)} />
        <Link href="/top-up" className={styles.topUp}>
          {t('topUp')}
        </Link>
        {supportWidget && <Support widget={supportWidget} appName={appName} />}
      </div>
    </header>
  )
}

/** The mark: a copper coin with the two of "tuppence" struck as two bars. */
function Coin() {
  return (
    <svg className={styles.coin} viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="12" r="11" fill="currentColor" />
      <circle cx="12" cy="12" r="8.25" fill="none" className={styles.rim} />
      <path d="M9.75 8.5v7M14.25 8.5v7" className={styles.bars} />
    </svg>
  )
}
