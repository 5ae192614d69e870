'use client'

import { useTranslations } from 'next-intl'
import { useCreditId } from '@/components/credit/use-credit-id'
import styles from './account-index.module.css'

interface AccountIndexProps {
  sections: readonly {
    id: string
    title: string
    /** Absent where there is no credit. */
    needsCredit?: boolean
  }[]
}

/** Everything that the account page has, in one look: beside the sections where there is room, else above. */
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
