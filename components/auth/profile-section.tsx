'use client'

import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import text from '@/components/ui/text.module.css'
import { TextInput } from '@/components/ui/text-input'
import { changeProfile, confirmNewEmail } from '@/lib/auth/client/profile'
import styles from './auth.module.css'
import { AuthError } from './auth-error'
import { CodeForm } from './code-form'
import { MAILED_CODE_LENGTH_MAX } from './email-code-form'
import { useGuardedAction } from './step-up'
import { useAuth, useSession } from './use-auth'

/** Fits on a line; names from providers are no longer either. */
const NAME_LENGTH_MAX = 100

/** The account's display name and email address. */
export function ProfileSection() {
  const t = useTranslations('auth')
  const common = useTranslations('common')
  const { store } = useAuth()
  const { user } = useSession()
  const { run, pending, error, stepUp } = useGuardedAction()
  const [name, setName] = useState<string | null>(null)
  const [email, setEmail] = useState<string | null>(null)
  const [saved, setSaved] = useState(false)
  const shownName = name ?? user?.name ?? ''
  const shownEmail = email ?? user?.email ?? ''
  const changes = {
    name: name === null || name.trim() === user?.name ? undefined : name.trim(),
    email: email === null || email.trim() === user?.email ? undefined : email.trim(),
  }

  const save = async () => {
    setSaved(false)
    if (!(await run(() => changeProfile(store, changes)))) return
    // While the second factor was asked for, something else may have been typed.
    setName(typed => (typed === name ? null : typed))
    setEmail(typed => (typed === email ? null : typed))
    setSaved(changes.email === undefined)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (changes.name !== undefined || changes.email !== undefined) void save()
  }

  const newEmail = user?.newEmail ?? null
  return (
    <section className={styles.section} aria-labelledby="profile-title">
      <h3 id="profile-title" tabIndex={-1} className={styles.title}>
        {t('profile.title')}
      </h3>
      <AuthError error={error} />
      {stepUp}
      <form className={styles.form} onSubmit={submit}>
        <Field label={common('name')}>
          {control => (
            <TextInput
              {...control}
              autoComplete="name"
              maxLength={NAME_LENGTH_MAX}
              value={shownName}
              onChange={event => setName(event.target.value)}
            />
          )}
        </Field>
        <Field label={t('email')}>
          {control => (
            <TextInput
              {...control}
              type="email"
              autoComplete="email"
              required={user?.email !== null}
              maxLength={254}
              value={shownEmail}
              onChange={event => setEmail(event.target.value)}
            />
          )}
        </Field>
        <div className={styles.row}>
          <Button type="submit" variant="quiet" loading={pending}>
            {common('save')}
          </Button>
          <span role="status">{saved && common('saved')}</span>
        </div>
      </form>
      {newEmail !== null && (
        <div className={styles.form}>
          <p className={text.muted}>{t('profile.confirm', { email: newEmail })}</p>
          <CodeForm
            hint={t('codeHint')}
            lengthMax={MAILED_CODE_LENGTH_MAX}
            verify={code => confirmNewEmail(store, { newEmail, oldEmail: user?.email ?? null, code })}
          />
        </div>
      )}
    </section>
  )
}
