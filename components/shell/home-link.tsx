import { useTranslations } from 'next-intl'
import { Link } from '@/lib/i18n/navigation'
import styles from './home-link.module.css'

interface HomeLinkProps {
  appName: string
  className?: string
}

export function HomeLink({ appName, className = '' }: HomeLinkProps) {
  const t = useTranslations('shell')
  return (
    <Link href="/" className={`${styles.home} ${className}`} aria-label={t('homeLabel', { appName })}>
      <Coin />
      <span className={styles.name}>{appName}</span>
    </Link>
  )
}

/** The logo: a copper coin, with the two of "tuppence" as two bars. */
function Coin() {
  return (
    <svg className={styles.coin} viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="12" r="11" fill="currentColor" />
      <circle cx="12" cy="12" r="8.25" fill="none" className={styles.rim} />
      <path d="M9.75 8.5v7M14.25 8.5v7" className={styles.bars} />
    </svg>
  )
}
