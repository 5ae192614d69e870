'use client'

import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { ConfirmDialog } from '@/components/ui/confirm-dialog'
import text from '@/components/ui/text.module.css'
import { checkSecondFactor, removeFactor, verifyFactorWebauthn } from '@/lib/auth/client/factors'
import type { AuthFactor, FactorType } from '@/lib/auth/domain/auth-user'
import { AccountRow } from './account-row'
import { AddFactor } from './add-factor'
import styles from './auth.module.css'
import { AuthError } from './auth-error'
import { FactorCheck } from './factor-check'
import { factorName } from './names'
import { FactorGroup, useGuardedAction } from './step-up'
import { useAuth, useSession } from './use-auth'

const ADD_LABELS = {
  totp: 'factors.addTotp',
  phone: 'factors.addPhone',
  webauthn: 'factors.addWebauthn',
} as const
const FACTOR_TYPES: FactorType[] = ['totp', 'webauthn', 'phone']

/** Second factors: add, name, confirm, remove. If there is one, it is asked for before any change. */
export function FactorsSection({ appName }: { appName: string }) {
  const t = useTranslations('auth')
  const { store } = useAuth()
  const { user } = useSession()
  const { run, pending, error, stepUp } = useGuardedAction()
  const [removing, setRemoving] = useState<AuthFactor | null>(null)
  const [adding, setAdding] = useState<FactorType | null>(null)
  const [confirmingId, setConfirmingId] = useState<string | null>(null)
  const factors = user?.factors ?? []
  // Not the factor as it was: meanwhile, it may have been removed.
  const confirming = factors.find(({ id }) => id === confirmingId)

  useEffect(() => {
    // The page started with the token's claims, which do not include the factors.
    void store.refreshUser()
  }, [store])

  /** Runs the step at once, or after the second factor if one is required. */
  const withSecondFactor = async (step: () => void) => {
    if (await run(() => checkSecondFactor(store))) step()
  }

  const confirm = (factor: AuthFactor) => {
    if (factor.factorType === 'webauthn') void run(() => verifyFactorWebauthn(store, factor))
    else setConfirmingId(factor.id)
  }
  const remove = (factor: AuthFactor) => void run(() => removeFactor(store, factor.id))

  return (
    <section className={styles.section} aria-labelledby="factors-title">
      <h3 id="factors-title" tabIndex={-1} className={styles.title}>
        {t('factors.title')}
      </h3>
      <p className={text.muted}>{t('factors.lead')}</p>
      <AuthError error={error} />
      {factors.length === 0 && <p className={text.hint}>{t('factors.none')}</p>}
      <ul className={styles.list}>
        {factors.map(factor => (
          <AccountRow
            key={factor.id}
            name={factorName(factor, t)}
            detail={
              factor.status === 'verified' ? t(`factors.${factor.factorType}`) : t('factors.unverified')
            }
            removal={{
              label: t('factors.remove'),
              fullLabel: t('factors.removeName', { name: factorName(factor, t) }),
              pending,
              onRemove: () => setRemoving(factor),
            }}
          >
            {factor.status === 'unverified' && (
              <Button
                variant="quiet"
                size="small"
                loading={pending}
                aria-label={t('factors.confirmName', { name: factorName(factor, t) })}
                onClick={() => void withSecondFactor(() => confirm(factor))}
              >
                {t('confirm')}
              </Button>
            )}
          </AccountRow>
        ))}
      </ul>
      {confirming && (
        <FactorGroup
          key={confirming.id}
          label={t('factors.confirmName', { name: factorName(confirming, t) })}
          onCancel={() => setConfirmingId(null)}
        >
          {confirming.factorType === 'totp' && <p className={text.muted}>{t('factors.confirmTotp')}</p>}
          <FactorCheck factor={confirming} onVerified={() => setConfirmingId(null)} />
        </FactorGroup>
      )}
      {removing && (
        <ConfirmDialog
          title={t('factors.removeTitle', { name: factorName(removing, t) })}
          label={t('factors.remove')}
          onConfirm={() => {
            setRemoving(null)
            void withSecondFactor(() => remove(removing))
          }}
          onClose={() => setRemoving(null)}
        >
          <p className={text.text}>{t('factors.removeText')}</p>
        </ConfirmDialog>
      )}
      {stepUp}
      {adding ? (
        <AddFactor key={adding} type={adding} appName={appName} onDone={() => setAdding(null)} />
      ) : (
        <div className={styles.row}>
          {FACTOR_TYPES.map(type => (
            <Button
              key={type}
              variant="quiet"
              loading={pending}
              onClick={() => void withSecondFactor(() => setAdding(type))}
            >
              {t(ADD_LABELS[type])}
            </Button>
          ))}
        </div>
      )}
    </section>
  )
}
