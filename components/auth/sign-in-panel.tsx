'use client'

import { KeyRound } from 'lucide'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Icon } from '@/components/ui/icon'
import { LiveRegion } from '@/components/ui/live-region'
import { Skeleton } from '@/components/ui/skeleton'
import text from '@/components/ui/text.module.css'
import { oneTapClientId, signInWithOneTap } from '@/lib/auth/client/one-tap'
import { providerName, type WaysIn } from '@/lib/auth/client/service-settings'
import { leaveForProvider, signInWithPasskey } from '@/lib/auth/client/sign-in'
import styles from './auth.module.css'
import { AuthError } from './auth-error'
import { useCaptcha } from './captcha'
import { EmailCodeForm } from './email-code-form'
import { useAction, useAuth, useWaysIn } from './use-auth'

interface SignInPanelProps {
  /** Why the last attempt to sign in failed: a key of `auth.errors`, from the address. */
  initialError: string | null
}

/** All ways to sign in that the auth service offers. */
export function SignInPanel({ initialError }: SignInPanelProps) {
  const t = useTranslations('auth')
  const { store, settings } = useAuth()
  const ways = useWaysIn()
  const action = useAction()
  const captcha = useCaptcha()
  /** Another way was taken since the last attempt failed. */
  const [isElsewhere, setElsewhere] = useState(false)
  const attempt = (signIn: Parameters<typeof action.run>[0]) => {
    setElsewhere(false)
    void action.run(signIn)
  }
  const signInWith = (provider: WaysIn['providers'][number]) => {
    const clientId = oneTapClientId(settings, provider)
    return clientId === null
      ? leaveForProvider(store, settings, { provider, purpose: 'sign_in' })
      : captcha.withToken(captchaToken => signInWithOneTap(store, { clientId, captchaToken }))
  }
  const offered = ways?.data
  // The browsers within other apps often know none.
  const passkey = offered?.passkey && 'PublicKeyCredential' in window
  const nothingOffered = offered && !offered.email && !passkey && offered.providers.length === 0
  return (
    <div
      className={styles.section}
      role="group"
      aria-label={t('signInTitle')}
      onFocus={event => {
        if (event.target.matches('input')) captcha.prepare()
      }}
    >
      <AuthError
        error={
          (isElsewhere ? null : action.error) ??
          ways?.error ??
          (isElsewhere || action.pending ? null : initialError)
        }
      />
      <LiveRegion>{ways ? '' : t('loading')}</LiveRegion>
      {!ways && <Skeleton length="medium" />}
      {nothingOffered && <p className={text.hint}>{t('noWaysIn')}</p>}
      <div className={styles.stack}>
        {offered?.providers.map(provider => (
          <Button
            key={provider}
            variant="quiet"
            loading={action.pending}
            onClick={() => attempt(() => signInWith(provider))}
          >
            {t('continueWith', { provider: providerName(provider) })}
          </Button>
        ))}
        {passkey && (
          <Button
            variant="quiet"
            loading={action.pending}
            onClick={() =>
              attempt(() => captcha.withToken(captchaToken => signInWithPasskey(store, { captchaToken })))
            }
          >
            <Icon icon={KeyRound} size={16} />
            {t('passkeySignIn')}
          </Button>
        )}
      </div>
      {offered?.email && <EmailCodeForm captcha={captcha} onSent={() => setElsewhere(true)} />}
      {captcha.frame}
    </div>
  )
}
