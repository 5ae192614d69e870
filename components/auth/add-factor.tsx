'use client'

import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Field } from '@/components/ui/field'
import { Qr } from '@/components/ui/qr'
import text from '@/components/ui/text.module.css'
import { TextInput } from '@/components/ui/text-input'
import {
  enrolPhone,
  enrolTotp,
  enrolWebauthn,
  removeFactor,
  type TotpEnrolment,
} from '@/lib/auth/client/factors'
import type { FactorType } from '@/lib/auth/domain/auth-user'
import styles from './auth.module.css'
import { AuthError } from './auth-error'
import { FactorCheck } from './factor-check'
import { useAction, useAuth } from './use-auth'

/** The auth service allows longer names; this one fits on a line. */
const NAME_LENGTH_MAX = 60

interface AddFactorProps {
  type: FactorType
  appName: string
  onDone: () => void
}

/** Enrols a factor and confirms it. A factor that is never confirmed is removed again. */
export function AddFactor({ type, appName, onDone }: AddFactorProps) {
  const t = useTranslations('auth')
  const common = useTranslations('common')
  const { store } = useAuth()
  const { run, pending, error } = useAction()
  const [name, setName] = useState('')
  const [phone, setPhone] = useState('')
  const [enrolled, setEnrolled] = useState<{ factorId: string; totp: TotpEnrolment | null } | null>(null)

  const enrol = async (event: FormEvent) => {
    event.preventDefault()
    const friendlyName = name.trim()
    if (type === 'webauthn') {
      if (await run(() => enrolWebauthn(store, { friendlyName }))) onDone()
    } else if (type === 'totp') {
      const totp = await run(() => enrolTotp(store, { friendlyName, issuer: appName }))
      if (totp) setEnrolled({ factorId: totp.factorId, totp })
    } else {
      const factor = await run(() => enrolPhone(store, { friendlyName, phone }))
      if (factor) setEnrolled({ factorId: factor.factorId, totp: null })
    }
  }

  const cancel = async () => {
    if (enrolled) await removeFactor(store, enrolled.factorId)
    onDone()
  }

  return (
    <div className={styles.form} role="group" aria-label={t(`factors.${type}`)}>
      <AuthError error={error} />
      {enrolled ? (
        <>
          {enrolled.totp && <TotpSecret enrolment={enrolled.totp} />}
          <FactorCheck factor={{ id: enrolled.factorId, factorType: type }} onVerified={onDone} />
        </>
      ) : (
        <form className={styles.form} onSubmit={event => void enrol(event)}>
          <Field label={common('name')} hint={t('factors.nameHint')}>
            {control => (
              <TextInput
                {...control}
                required
                maxLength={NAME_LENGTH_MAX}
                value={name}
                onChange={event => setName(event.target.value)}
              />
            )}
          </Field>
          {type === 'phone' && (
            <Field label={t('factors.phoneNumber')} hint={t('factors.phoneHint')}>
              {control => (
                <TextInput
                  {...control}
                  type="tel"
                  autoComplete="tel"
                  required
                  value={phone}
                  onChange={event => setPhone(event.target.value)}
                />
              )}
            </Field>
          )}
          {type === 'webauthn' && <p className={text.hint}>{t('factors.webauthnHint')}</p>}
          <div>
            <Button type="submit" loading={pending}>
              {t('factors.add')}
            </Button>
          </div>
        </form>
      )}
      <div>
        <Button variant="quiet" size="small" onClick={() => void cancel()}>
          {common('cancel')}
        </Button>
      </div>
    </div>
  )
}

/** The QR code is drawn here from the `otpauth://` address: the service's own image would need `data:` images. */
function TotpSecret({ enrolment }: { enrolment: TotpEnrolment }) {
  const t = useTranslations('auth.factors')
  return (
    <div className={styles.stack}>
      <p className={text.muted}>{t('scan')}</p>
      <div className={styles.qr}>
        <Qr value={enrolment.uri} title={t('qrTitle')} />
      </div>
      <p className={text.hint}>{t('secret')}</p>
      <code className={styles.secret}>{enrolment.secret}</code>
      <div>
        <CopyButton text={enrolment.secret} label={t('copySecret')} size="small" />
      </div>
    </div>
  )
}
