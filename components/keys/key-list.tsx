'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import layout from '@/components/ui/layout.module.css'
import text from '@/components/ui/text.module.css'
import { KeyItem } from './key-item'
import styles from './keys-section.module.css'
import type { NamedKey } from './use-keys'

interface KeyListProps {
  keys: readonly NamedKey[]
  onEdit: (apiKey: NamedKey) => void
  onRevoke: (apiKey: NamedKey) => void
}

/** Active keys first; revoked ones are folded away, and listed for what they have spent. */
export function KeyList({ keys, onEdit, onRevoke }: KeyListProps) {
  const t = useTranslations('keys')
  const common = useTranslations('common')
  const [nowMs] = useState(() => Date.now())
  const kept = keys.filter(key => key.revoked_at === null)
  const revoked = keys.filter(key => key.revoked_at !== null)
  return (
    <>
      {kept.length === 0 ? (
        <p className={text.muted}>{t('none')}</p>
      ) : (
        <ul className={layout.list}>
          {kept.map(key => (
            <KeyItem
              key={key.id}
              apiKey={key}
              nowMs={nowMs}
              actions={
                <>
                  <Button
                    variant="quiet"
                    size="small"
                    aria-label={t('editNamed', { label: key.name })}
                    onClick={() => onEdit(key)}
                  >
                    {common('edit')}
                  </Button>
                  <Button
                    variant="quiet"
                    size="small"
                    aria-label={t('revokeNamed', { label: key.name })}
                    onClick={() => onRevoke(key)}
                  >
                    {t('revoke')}
                  </Button>
                </>
              }
            />
          ))}
        </ul>
      )}
      {revoked.length > 0 && (
        <details className={styles.more}>
          <summary>{t('revokedCount', { count: revoked.length })}</summary>
          <ul className={layout.list}>
            {revoked.map(key => (
              <KeyItem key={key.id} apiKey={key} nowMs={nowMs} />
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
