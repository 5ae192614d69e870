'use client'

import { useTranslations } from 'next-intl'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/select'
import text from '@/components/ui/text.module.css'
import styles from './auth.module.css'
import { FactorCheck } from './factor-check'
import { factorName } from './names'
import { useSession } from './use-auth'

interface StepUpProps {
  onVerified: () => void
  onCancel: () => void
}

/** Raises the session to the second level with a factor of the person's choice. */
export function StepUp({ onVerified, onCancel }: StepUpProps) {
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
