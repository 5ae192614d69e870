import { getTranslations } from 'next-intl/server'
import styles from './skip-link.module.css'

export const MAIN_ID = 'main'

/** The first thing that Tab reaches. */
export async function SkipLink() {
  const t = await getTranslations('shell')
  return (
    <a href={`#${MAIN_ID}`} className={styles.skip}>
      {t('skipToContent')}
    </a>
  )
}
