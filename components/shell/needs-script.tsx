import { useTranslations } from 'next-intl'
import styles from './page.module.css'

/** Says why a page does nothing, above it, where scripts are turned off. */
export function NeedsScript() {
  // These messages stay on the server: a browser that runs scripts has no use for this one.
  const t = useTranslations('legal')
  return (
    <noscript>
      <p className={styles.needsScript}>{t('needsScript')}</p>
    </noscript>
  )
}
