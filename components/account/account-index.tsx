'use client'

import { useTranslations } from 'next-intl'
import { useCreditId } from '@/components/credit/use-credit-id'
import styles from './account-index.module.css'

interface AccountIndexProps {
  sections: readonly {
    id: string
    title: string
    /** Shown only if this browser has a credit. */
    needsCredit?: boolean
  }[]
}

/** Links to all sections of the account page: beside them on a wide screen, above them on a narrow one. */
export function AccountIndex({ sections }: AccountIndexProps) {
  const t = useTranslations('account')
  const hasCredit = useCreditId() !== null
  return (
    <nav className={styles.index} aria-label={t('index')}>
      <ul className={styles.list}>
        {sections
          .filter(({ needsCredit }) => hasCredit || !needsCredit)
          .map(({ id, title }) => (
            <li key={id}>
              <a href={`#${id}`} className={styles.link}>
                {title}
              </a>
            </li>
          ))}
      </ul>
    </nav>
  )
}
