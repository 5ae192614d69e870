'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { NamedKey } from '@/components/keys/use-keys'
import { Dialog } from '@/components/ui/dialog'
import layout from '@/components/ui/layout.module.css'
import { VisuallyHidden } from '@/components/ui/visually-hidden'
import type { Query } from '@/lib/api/contracts/queries'
import { CostBreakdown } from './cost-breakdown'
import { UsageRow } from './usage-row'
import styles from './usage-table.module.css'

interface UsageTableProps {
  entries: readonly Query[]
  keys: readonly NamedKey[]
}

export function UsageTable({ entries, keys }: UsageTableProps) {
  const t = useTranslations('usage')
  const cost = useTranslations('cost')
  const [explained, setExplained] = useState<Query | null>(null)
  const names = new Map(keys.map(key => [key.id, key.name]))
  return (
    <>
      <div className={styles.frame}>
        <table className={`${layout.table} ${styles.table}`}>
          <caption>
            <VisuallyHidden>{t('calls')}</VisuallyHidden>
          </caption>
          <thead>
            <tr>
              <th scope="col">{t('call')}</th>
              <th scope="col">{t('tokens')}</th>
              <th scope="col" className={styles.price}>
                {t('price')}
              </th>
            </tr>
          </thead>
          <tbody>
            {entries.map(entry => (
              <UsageRow
                key={entry.id}
                entry={entry}
                keyName={entry.api_key_id === null ? null : (names.get(entry.api_key_id) ?? null)}
                onExplain={() => setExplained(entry)}
              />
            ))}
          </tbody>
        </table>
      </div>
      <Dialog open={explained !== null} onClose={() => setExplained(null)} title={cost('title')}>
        {explained && <CostBreakdown entry={explained} />}
      </Dialog>
    </>
  )
}
