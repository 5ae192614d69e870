'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { challengeFactor, verifyFactorCode, verifyFactorWebauthn } from '@/lib/auth/client/factors'
import type { AuthFactor } from '@/lib/auth/domain/auth-user'
import styles from './auth.module.css'
import { AuthError } from './auth-error'
import { CodeForm } from './code-form'
import { useAction, useAuth } from './use-auth'

/** Both authenticator apps (RFC 6238) and the auth service's text messages use six digits. */
const FACTOR_CODE_LENGTH = 6

interface FactorCheckProps {
  factor: Pick<AuthFactor, 'id' | 'factorType'>
  onVerified: () => void
}

/** Asks for one second factor: a code from the app, a code sent to the phone, or the security key. */
export function FactorCheck({ factor, onVerified }: FactorCheckProps) {
  const t = useTranslations('auth')
  const { store } = useAuth()
  const action = useAction()
  const [sentChallengeId, setSentChallengeId] = useState<string | null>(null)

  if (factor.factorType === 'webauthn') {
    const authenticate = async () => {
      if (await action.run(() => verifyFactorWebauthn(store, factor))) onVerified()
    }
    return (
      <div className={styles.stack}>
        <AuthError error={action.error} />
        <Button loading={action.pending} onClick={() => void authenticate()}>
          {t('stepUp.useKey')}
        </Button>
      </div>
    )
  }

  if (factor.factorType === 'phone' && sentChallengeId === null) {
    const send = async () => {
      const challenge = await action.run(() => challengeFactor(store, factor))
      if (challenge) setSentChallengeId(challenge.challengeId)
    }
    return (
      <div className={styles.stack}>
        <AuthError error={action.error} />
        <Button loading={action.pending} onClick={() => void send()}>
          {t('factors.sendCode')}
        </Button>
      </div>
    )
  }

  const verify = async (code: string) => {
    // A code from an app needs a new challenge each time; a code that was sent belongs to the challenge that sent it.
    const challenge =
      sentChallengeId === null
        ? await challengeFactor(store, factor)
        : { data: { challengeId: sentChallengeId }, error: null }
    if (challenge.error !== null) return challenge
    const ids = { factorId: factor.id, challengeId: challenge.data.challengeId }
    const result = await verifyFactorCode(store, { ...ids, code })
    if (result.error !== 'codeWrong') return result
    return { data: null, error: factor.factorType === 'phone' ? 'smsCodeWrong' : 'appCodeWrong' }
  }
  return (
    <CodeForm
      hint={sentChallengeId === null ? undefined : t('factors.sentTo')}
      lengthMax={FACTOR_CODE_LENGTH}
      verify={verify}
      onVerified={onVerified}
    />
  )
}
