'use client'

import { useLocale, useTranslations } from 'next-intl'
import { Link, usePathname } from '@/lib/i18n/navigation'
import { routing } from '@/lib/i18n/routing'
import { settingsStore } from '@/lib/local/settings/settings-store'
import styles from './language-links.module.css'
import { LANGUAGE_NAMES } from './language-names'

/** Links to this page in the other languages. A click also stores the choice. */
export function LanguageLinks() {
  const t = useTranslations('shell')
  const current = useLocale()
  const pathname = usePathname()
  return (
    <nav aria-label={t('languages')} className={styles.languages}>
      {routing.locales.map(locale => (
        <Link
          key={locale}
          href={pathname}
          locale={locale}
          hrefLang={locale}
          lang={locale}
          prefetch={false}
          className={styles.link}
          aria-current={locale === current ? 'true' : undefined}
          onClick={() => settingsStore.update({ language: locale })}
        >
          {LANGUAGE_NAMES[locale]}
        </Link>
      ))}
    </nav>
  )
}
