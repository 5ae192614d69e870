import { getTranslations } from 'next-intl/server'
import { MAIN_ID } from '@/components/ui/focus'
import styles from './skip-link.module.css'

/** The first thing that Tab reaches. */
export async function SkipLink() {
  const t = await getTranslations('shell')
  return (
    <a href={`#${MAIN_ID}`} className={styles.skip}>
      {t('skipToContent')}
    </a>
  )
}
