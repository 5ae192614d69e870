'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useCallback, useEffect, useState } from 'react'
import { formatDay } from '@/components/account/format-day'
import { Button } from '@/components/ui/button'
import { ConfirmDialog } from '@/components/ui/confirm-dialog'
import text from '@/components/ui/text.module.css'
import { addPasskey, listPasskeys, type Passkey, removePasskey } from '@/lib/auth/client/passkeys'
import { AccountRow } from './account-row'
import styles from './auth.module.css'
import { AuthError } from './auth-error'
import { useGuardedAction } from './step-up'
import { useAuth, useWaysIn } from './use-auth'

/** Passkeys to sign in with, if the auth service supports them. */
export function PasskeysSection() {
  const t = useTranslations('auth.passkeys')
  const words = useTranslations('auth.factors')
  const locale = useLocale()
  const { store } = useAuth()
  const { run, pending, error, stepUp } = useGuardedAction()
  const offered = useWaysIn()?.data?.passkey === true
  const [passkeys, setPasskeys] = useState<Passkey[]>([])
  const [removing, setRemoving] = useState<Passkey | null>(null)
  const nameOf = (passkey: Passkey) => passkey.friendlyName ?? t('unnamed')

  const reload = useCallback(async () => {
    const listed = await run(() => listPasskeys(store))
    if (listed) setPasskeys(listed)
  }, [run, store])

  useEffect(() => {
    if (offered) void reload()
  }, [offered, reload])

  if (!offered) return null
  return (
    <section className={styles.section} aria-labelledby="passkeys-title">
      <h3 id="passkeys-title" tabIndex={-1} className={styles.title}>
        {t('title')}
      </h3>
      <p className={text.muted}>{t('lead')}</p>
      <AuthError error={error} />
      <ul className={styles.list}>
        {passkeys.map(passkey => (
          <AccountRow
            key={passkey.id}
            name={nameOf(passkey)}
            detail={t('added', { date: formatDay(Date.parse(passkey.createdAt) / 1000, locale) })}
            removal={{
              label: words('remove'),
              fullLabel: words('removeName', { name: nameOf(passkey) }),
              pending,
              onRemove: () => setRemoving(passkey),
            }}
          />
        ))}
      </ul>
      {removing && (
        <ConfirmDialog
          title={words('removeTitle', { name: nameOf(removing) })}
          label={words('remove')}
          onConfirm={async () => {
            setRemoving(null)
            if (await run(() => removePasskey(store, removing.id))) await reload()
          }}
          onClose={() => setRemoving(null)}
        >
          <p className={text.text}>{t('removeText')}</p>
        </ConfirmDialog>
      )}
      {stepUp}
      <div>
        <Button
          variant="quiet"
          loading={pending}
          onClick={async () => {
            if (await run(() => addPasskey(store))) await reload()
          }}
        >
          {t('add')}
        </Button>
      </div>
    </section>
  )
}
