import { getTranslations } from 'next-intl/server'
import { Link } from '@/lib/i18n/navigation'
import styles from './site-links.module.css'

interface SiteLinksProps {
  operatorName: string | null
}

/** For the foot of the sidebar and the drawer, so that the chat links to the terms too. */
export async function LegalLinks() {
  return <p className={styles.legal}>{await termsLinks()}</p>
}

async function termsLinks() {
  const t = await getTranslations('legal')
  return (['terms', 'privacy'] as const).map(page => (
    <Link key={page} href={`/${page}`}>
      {t(page)}
    </Link>
  ))
}

/** The operator, the terms and the links for programs, at the foot of every page but the chat. */
export async function SiteLinks({ operatorName }: SiteLinksProps) {
  const t = await getTranslations('legal')
  return (
    <footer className={styles.foot}>
      {operatorName && <span className={styles.operator}>{t('operator', { operator: operatorName })}</span>}
      <nav aria-label={t('footer')} className={styles.links}>
        {await termsLinks()}
        <a href="/openapi.json">{t('api')}</a>
        <a href="/llms.txt">{t('agents')}</a>
      </nav>
    </footer>
  )
}
