import { getTranslations } from 'next-intl/server'
import { Link } from '@/lib/i18n/navigation'
import styles from './site-links.module.css'

interface SiteLinksProps {
  operatorName: string | null
}

/** For the foot of the sidebar and the drawer, from which the chat, too, leads to them. */
export async function LegalLinks() {
  const t = await getTranslations('legal')
  return (
    <p className={styles.legal}>
      <Link href="/terms" prefetch={false}>
        {t('terms')}
      </Link>
      <Link href="/privacy" prefetch={false}>
        {t('privacy')}
      </Link>
    </p>
  )
}

/** Who runs the site, on what terms, and where programs find it: at the foot of every page but the chat. */
export async function SiteLinks({ operatorName }: SiteLinksProps) {
  const t = await getTranslations('legal')
  return (
    <footer className={styles.foot}>
      {operatorName && <span className={styles.operator}>{t('operator', { operator: operatorName })}</span>}
      <nav aria-label={t('footer')} className={styles.links}>
        <Link href="/terms" prefetch={false}>
          {t('terms')}
        </Link>
        <Link href="/privacy" prefetch={false}>
          {t('privacy')}
        </Link>
        <a href="/openapi.json">{t('api')}</a>
        <a href="/llms.txt">{t('agents')}</a>
      </nav>
    </footer>
  )
}
