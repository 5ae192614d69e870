'use client'

import { useTranslations } from 'next-intl'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/select'
import text from '@/components/ui/text.module.css'
import type { AuthResult } from '@/lib/auth/client/auth-result'
import styles from './auth.module.css'
import { FactorCheck } from './factor-check'
import { factorName } from './names'
import { useAction, useSession } from './use-auth'

/**
 * `useAction` for what the second factor may be asked for. `stepUp` is the question, to be shown where the person
 * looks; the attempt that raised it is made again once it is answered.
 */
export function useGuardedAction() {
  const { run: runOnce, pending, error } = useAction()
  const [answer, setAnswer] = useState<((isVerified: boolean) => void) | null>(null)

  const run = useCallback(
    async <Data,>(attempt: () => Promise<AuthResult<Data>>): Promise<Data | null> => {
      setAnswer(null)
      for (;;) {
        let isNeeded = false
        const data = await runOnce(async () => {
          const result = await attempt()
          isNeeded = result.error === 'secondFactorNeeded'
          return result
        })
        if (!isNeeded) return data
        const isVerified = await new Promise<boolean>(resolve => setAnswer(() => resolve))
        setAnswer(null)
        if (!isVerified) return null
      }
    },
    [runOnce],
  )
  const stepUp = answer && <StepUp onVerified={() => answer(true)} onCancel={() => answer(false)} />
  return { run, pending, error: answer ? null : error, stepUp }
}

interface StepUpProps {
  onVerified: () => void
  onCancel: () => void
}

/** Raises the session to the second level with a factor of the person's choice. */
function StepUp({ onVerified, onCancel }: StepUpProps) {
  const t = useTranslations('auth')
  const { user } = useSession()
  const factors = (user?.factors ?? []).filter(factor => factor.status === 'verified')
  const [chosenId, setChosenId] = useState<string | null>(null)
  const chosen = factors.find(factor => factor.id === chosenId) ?? factors[0]
  return (
    <FactorGroup label={t('stepUp.title')} onCancel={onCancel}>
      <p className={text.muted}>{t('stepUp.lead')}</p>
      {factors.length > 1 && (
        <Field label={t('stepUp.choose')}>
          {control => (
            <Select {...control} value={chosen?.id} onChange={event => setChosenId(event.target.value)}>
              {factors.map(factor => (
                <option key={factor.id} value={factor.id}>
                  {factorName(factor, t)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {chosen && <FactorCheck key={chosen.id} factor={chosen} onVerified={onVerified} />}
    </FactorGroup>
  )
}

interface FactorGroupProps {
  label: string
  onCancel: () => void
  children: ReactNode
}

/** Questions about a factor, above or below the button that has asked for them. */
export function FactorGroup({ label, onCancel, children }: FactorGroupProps) {
  const common = useTranslations('common')
  const groupRef = useRef<HTMLDivElement>(null)
  // Keyboard users would not find them next.
  useEffect(() => groupRef.current?.querySelector<HTMLElement>('select, input, button')?.focus(), [])
  return (
    <div ref={groupRef} className={styles.form} role="group" aria-label={label}>
      {children}
      <div>
        <Button variant="quiet" size="small" onClick={onCancel}>
          {common('cancel')}
        </Button>
      </div>
    </div>
  )
}
