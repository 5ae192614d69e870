'use client'

import { useTranslations } from 'next-intl'
import { type FormEvent, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { TextInput } from '@/components/ui/text-input'
import type { AuthResult } from '@/lib/auth/client/auth-result'
import styles from './auth.module.css'
import { useAuthErrorText } from './auth-error'
import { useAction } from './use-auth'

/** Failures that say nothing about the code, which may be sent again as it is. */
const UNJUDGED = ['unreachable', 'tooManyAttempts']

interface CodeFormProps {
  hint?: string
  lengthMax: number
  verify: (code: string) => Promise<AuthResult<object>>
  onVerified?: () => void
}

/** A field for one code, which may be typed, pasted or filled in by the phone. */
export function CodeForm({ hint, lengthMax, verify, onVerified }: CodeFormProps) {
  const t = useTranslations('auth')
  const errorText = useAuthErrorText()
  const action = useAction()
  const [code, setCode] = useState('')
  const fieldRef = useRef<HTMLInputElement>(null)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    let isRefused = false
    const verified = await action.run(async () => {
      const result = await verify(code)
      isRefused = result.error !== null && !UNJUDGED.includes(result.error)
      return result
    })
    if (verified) return onVerified?.()
    if (isRefused) setCode('')
    fieldRef.current?.focus()
  }

  return (
    <form className={styles.form} onSubmit={event => void submit(event)}>
      <Field
        label={t('code')}
        hint={hint}
        error={action.error === null ? undefined : errorText(action.error)}
      >
        {control => (
          <TextInput
            {...control}
            ref={fieldRef}
            className={styles.code}
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            value={code}
            // Not by `maxLength`, which would cut a pasted "123 456" before its space is taken out.
            onChange={event => setCode(event.target.value.replace(/\D/g, '').slice(0, lengthMax))}
          />
        )}
      </Field>
      <div>
        <Button type="submit" loading={action.pending}>
          {t('confirm')}
        </Button>
      </div>
    </form>
  )
}
