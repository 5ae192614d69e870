'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { Dialog } from '@/components/ui/dialog'
import { VisuallyHidden } from '@/components/ui/visually-hidden'
import type { KeyView } from '@/lib/ledger/client/api-key'
import type { UsageEntry } from '@/lib/ledger/client/usage-entry'
import { CostBreakdown } from './cost-breakdown'
import { UsageRow } from './usage-row'
import styles from './usage-table.module.css'

interface UsageTableProps {
  entries: readonly UsageEntry[]
  keys: readonly KeyView[]
}

export function UsageTable({ entries, keys }: UsageTableProps) {
  const t = useTranslations('usage')
  const cost = useTranslations('cost')
  const [explained, setExplained] = useState<UsageEntry | null>(null)
  const labels = new Map(keys.map(key => [key.id, key.label]))
  return (
    <>
      <table className={styles.table}>
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
              keyLabel={entry.keyId === null ? null : (labels.get(entry.keyId) ?? null)}
              onExplain={() => setExplained(entry)}
            />
          ))}
        </tbody>
      </table>
      <Dialog open={explained !== null} onClose={() => setExplained(null)} title={cost('title')}>
        {explained && <CostBreakdown entry={explained} />}
      </Dialog>
    </>
  )
}
