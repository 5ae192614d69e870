'use client'

import { useTranslations } from 'next-intl'
import { useEffect } from 'react'
import untilKnown from '@/components/credit/until-known.module.css'
import { useCreditId } from '@/components/credit/use-credit-id'
import styles from './account-index.module.css'
import { keepPlace } from './keep-place'

interface AccountIndexProps {
  sections: readonly {
    id: string
    title: string
    /** Shown only if this browser has a credit. */
    needsCredit?: boolean
  }[]
}

/**
 * Links to all sections of the account page: beside them on a wide screen, above them on a narrow one. The section that
 * was gone to stays in place.
 */
export function AccountIndex({ sections }: AccountIndexProps) {
  const t = useTranslations('account')
  const creditId = useCreditId()
  useEffect(keepPlace, [])
  return (
    <nav className={styles.index} aria-label={t('index')}>
      <ul className={styles.list}>
        {sections
          .filter(({ needsCredit }) => creditId !== null || !needsCredit)
          .map(({ id, title, needsCredit }) => (
            <li
              key={id}
              className={needsCredit && creditId === undefined ? untilKnown.withCredit : undefined}
            >
              <a href={`#${id}`} className={styles.link}>
                {title}
              </a>
            </li>
          ))}
      </ul>
    </nav>
  )
}
