import { getTranslations } from 'next-intl/server'
import styles from './sandbox-banner.module.css'

/** Says on every page that the money here is play money. */
export async function SandboxBanner() {
  const t = await getTranslations('shell')
  return (
    <aside className={styles.banner} aria-label={t('sandboxLabel')}>
      <span>
        <strong>{t('sandboxTitle')}</strong> {t('sandboxText')}
      </span>
    </aside>
  )
}
