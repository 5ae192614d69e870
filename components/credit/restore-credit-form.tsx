'use client'

import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { TextInput } from '@/components/ui/text-input'
import { type RestoreOutcome, restoreCredit } from './restore-credit'
import styles from './restore-credit-form.module.css'
import { useCreditId } from './use-credit-id'

/** Brings a credit from another device by its key. */
export function RestoreCreditForm() {
  const t = useTranslations('credit')
  const creditId = useCreditId()
  const [text, setText] = useState('')
  const [outcome, setOutcome] = useState<RestoreOutcome | null>(null)
  const [busy, setBusy] = useState(false)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    setBusy(true)
    const result = await restoreCredit(text)
    setBusy(false)
    setOutcome(result)
    if (result === 'restored') setText('')
  }

  const failed = outcome !== null && outcome !== 'restored'
  return (
    <form onSubmit={event => void submit(event)} className={styles.form}>
      <Field
        label={t('restoreLabel')}
        hint={creditId ? t('restoreReplaces') : t('restoreHint')}
        error={failed ? t(`restoreOutcome.${outcome}`) : undefined}
      >
        {control => (
          <TextInput
            {...control}
            mono
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={text}
            onChange={event => {
              setText(event.currentTarget.value)
              setOutcome(null)
            }}
          />
        )}
      </Field>
      <div className={styles.actions}>
        <Button type="submit" variant="quiet" loading={busy} disabled={text.trim() === ''}>
          {t('restore')}
        </Button>
        <p role="status" className={styles.restored}>
          {outcome === 'restored' && t('restored')}
        </p>
      </div>
    </form>
  )
}
