import { getTranslations } from 'next-intl/server'
import styles from './sandbox-banner.module.css'

/** Says on every page that the money here is play money. */
export async function SandboxBanner() {
  const t = await getTranslations('shell')
  return (
    <p className={styles.banner}>
      <strong>{t('sandboxTitle')}</strong> {t('sandboxText')}
    </p>
  )
}
