'use client'

import { useTranslations } from 'next-intl'
import { type FormEvent, useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { Status } from '@/components/ui/status'
import text from '@/components/ui/text.module.css'
import { TextInput } from '@/components/ui/text-input'
import { sendEmailCode, verifyEmailCode } from '@/lib/auth/client/sign-in'
import { keepInTab, keptInTab, openArea } from '@/lib/local/storage/storage-area'
import { SIGN_IN_ADDRESS_KEY } from '@/lib/local/storage/storage-keys'
import styles from './auth.module.css'
import { AuthError, useAuthErrorText } from './auth-error'
import type { Captcha } from './captcha'
import { CodeForm } from './code-form'
import { useAction, useAuth } from './use-auth'

/** Supabase mails six digits by default, up to ten if so configured. */
export const MAILED_CODE_LENGTH_MAX = 10

/** For whoever has signed in another way, perhaps on another page: no code is awaited. */
export function forgetMailedAddress(): void {
  openArea('sessionStorage').removeItem(SIGN_IN_ADDRESS_KEY)
}

interface EmailCodeFormProps {
  captcha: Captcha
  onSent: () => void
}

/** Asks for the address, then for the code that was mailed to it. */
export function EmailCodeForm({ captcha, onSent }: EmailCodeFormProps) {
  const t = useTranslations('auth')
  const errorText = useAuthErrorText()
  const { store } = useAuth()
  const action = useAction()
  const [email, setEmail] = useState('')
  // A phone may load the page again while its mail is read.
  const [sentTo, setSentTo] = useState(() => keptInTab(SIGN_IN_ADDRESS_KEY))
  const [resentCount, setResentCount] = useState(0)
  useEffect(() => {
    if (sentTo === null) return
    keepInTab(SIGN_IN_ADDRESS_KEY, sentTo)
    return forgetMailedAddress
  }, [sentTo])

  const mail = (address: string) =>
    action.run(() =>
      captcha.withToken(captchaToken => sendEmailCode(store, { email: address, captchaToken })),
    )
  const send = async (event: FormEvent) => {
    event.preventDefault()
    const address = email.trim()
    if (!(await mail(address))) return
    setSentTo(address)
    setResentCount(0)
    onSent()
  }

  if (sentTo !== null) {
    return (
      <div className={styles.form}>
        {/* The text changes each time, since screen readers would not announce the same text again. */}
        <Status className={text.muted}>
          {t('codeSent', { email: sentTo })}
          {resentCount > 0 && <span key={resentCount}> {t('codeSentAgain')}</span>}
        </Status>
        <CodeForm
          key={resentCount}
          hint={t('codeHint')}
          lengthMax={MAILED_CODE_LENGTH_MAX}
          verify={code => verifyEmailCode(store, { email: sentTo, code })}
        />
        <AuthError error={action.error} />
        <div className={styles.row}>
          <Button
            variant="quiet"
            size="small"
            loading={action.pending}
            onClick={async () => {
              if (await mail(sentTo)) setResentCount(resentCount + 1)
            }}
          >
            {t('sendAgain')}
          </Button>
          <Button variant="quiet" size="small" onClick={() => setSentTo(null)}>
            {t('otherEmail')}
          </Button>
        </div>
      </div>
    )
  }
  return (
    <form className={styles.form} onSubmit={event => void send(event)}>
      <Field label={t('email')} error={action.error === null ? undefined : errorText(action.error)}>
        {control => (
          <TextInput
            {...control}
            type="email"
            name="email"
            autoComplete="email webauthn"
            required
            maxLength={254}
            value={email}
            onChange={event => setEmail(event.target.value)}
          />
        )}
      </Field>
      <div>
        <Button type="submit" loading={action.pending}>
          {t('sendCode')}
        </Button>
      </div>
    </form>
  )
}
