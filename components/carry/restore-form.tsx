'use client'

import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import layout from '@/components/ui/layout.module.css'
import { TextArea } from '@/components/ui/text-input'
import { ReplaceCredit } from './replace-credit'
import styles from './restore-form.module.css'
import { useRestore } from './use-restore'

/** Brings a credit from another device by its twelve words or its key. */
export function RestoreForm() {
  const t = useTranslations('carry')
  const { state, search, take, move, startOver } = useRestore()
  const [text, setText] = useState('')

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (state.step !== 'searching') void search(text)
  }
  const end = () => {
    setText('')
    startOver()
  }

  if (state.step === 'decide') {
    return (
      <ReplaceCredit
        heldCreditId={state.heldCreditId}
        foundBalanceUsd={state.found.balanceUsd}
        onReplace={() => {
          setText('')
          void take(state.found.creditId)
        }}
        onKeep={end}
        onMove={() => {
          setText('')
          return move(state)
        }}
      />
    )
  }
  const problem = state.step === 'ask' ? state.problem : null
  return (
    <form className={layout.stack} onSubmit={submit}>
      <Field
        label={t('restoreLabel')}
        hint={t('restoreHint')}
        error={problem ? t(`restoreProblem.${problem}`) : undefined}
      >
        {control => (
          <TextArea
            {...control}
            mono
            rows={3}
            autoComplete="off"
            autoCapitalize="none"
            autoCorrect="off"
            // Some browsers send what they check to a server.
            spellCheck={false}
            value={text}
            onChange={event => {
              setText(event.currentTarget.value)
              if (state.step !== 'searching') startOver()
            }}
          />
        )}
      </Field>
      <div className={styles.actions}>
        <Button
          type="submit"
          variant="quiet"
          loading={state.step === 'searching'}
          disabled={text.trim() === ''}
        >
          {t('restore')}
        </Button>
        <p role="status" className={styles.done}>
          {(state.step === 'restored' || state.step === 'already') && t(state.step)}
        </p>
      </div>
    </form>
  )
}
