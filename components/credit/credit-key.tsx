'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Field } from '@/components/ui/field'
import layout from '@/components/ui/layout.module.css'
import { TextInput } from '@/components/ui/text-input'
import styles from './credit-key.module.css'

interface CreditKeyProps {
  creditId: string
}

/** The credit_id, hidden until asked for: a glance over the shoulder is enough to steal it. */
export function CreditKey({ creditId }: CreditKeyProps) {
  const t = useTranslations('credit')
  const common = useTranslations('common')
  const [revealed, setRevealed] = useState(false)
  return (
    <div className={styles.key}>
      <Field label={t('creditId')} hint={t('creditIdHint')}>
        {control => (
          <TextInput
            {...control}
            mono
            readOnly
            type={revealed ? 'text' : 'password'}
            autoComplete="off"
            value={creditId}
          />
        )}
      </Field>
      <div className={layout.row}>
        <Button variant="quiet" onClick={() => setRevealed(!revealed)}>
          {revealed ? common('hide') : t('reveal')}
        </Button>
        <CopyButton text={creditId} label={t('copyCreditId')} />
      </div>
    </div>
  )
}
