'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import text from '@/components/ui/text.module.css'
import { useStore } from '@/components/ui/use-store'
import type { AuthResult } from '@/lib/auth/client/auth-result'
import {
  type LinkedCredit,
  linkCredit,
  showLinkedCredit,
  unlinkCredit,
} from '@/lib/auth/client/linked-credit'
import { creditIdStore } from '@/lib/local/credit-id'
import { formatMoney } from '@/lib/money/format-money'
import styles from './auth.module.css'
import { AuthError } from './auth-error'
import { linkedCreditText } from './linked-credit-text'
import { MoveBoth } from './move-both'
import { StepUp } from './step-up'
import { useAction } from './use-auth'

/** Which credit belongs to the account, and which one to this browser. Asks for the second factor first. */
export function LinkedCreditSection() {
  const t = useTranslations('auth.credit')
  const locale = useLocale()
  const { run, pending, error } = useAction()
  const own = useStore(creditIdStore)
  const [linked, setLinked] = useState<LinkedCredit | null>(null)
  const [movedUsd, setMovedUsd] = useState<number | null>(null)
  const [waiting, setWaiting] = useState<(() => void) | null>(null)

  const attempt = async (action: () => Promise<AuthResult<LinkedCredit>>) => {
    let stepUp = false
    const answer = await run(async () => {
      const result = await action()
      stepUp = result.error === 'secondFactorNeeded'
      return stepUp ? { data: null, error: 'secondFactorNeeded' } : result
    })
    setWaiting(stepUp ? () => () => void attempt(action) : null)
    setMovedUsd(null)
    if (answer) setLinked(answer)
  }

  const linkedId = linked?.creditId ?? null
  const differs = linkedId !== null && own !== null && linkedId !== own
  const canLink = linked !== null && own !== null && own !== linkedId
  return (
    <section className={styles.section} aria-labelledby="linked-credit-title">
      <h3 id="linked-credit-title" className={styles.title}>
        {t('title')}
      </h3>
      <p className={text.muted}>{t('lead')}</p>
      <AuthError error={waiting ? null : error} />
      {waiting && (
        <StepUp
          onCancel={() => setWaiting(null)}
          onVerified={() => {
            setWaiting(null)
            waiting()
          }}
        />
      )}
      {linked && <p role="status">{linkedCreditText(linked, own, t)}</p>}
      {movedUsd !== null && <p role="status">{t('moved', { amount: formatMoney(movedUsd, locale) })}</p>}
      {differs && <MoveBoth ownCreditId={own} linkedCreditId={linkedId} onMoved={setMovedUsd} />}
      <div className={styles.row}>
        {!linked && (
          <Button variant="quiet" loading={pending} onClick={() => void attempt(showLinkedCredit)}>
            {t('show')}
          </Button>
        )}
        {canLink && (
          <Button loading={pending} onClick={() => void attempt(() => linkCredit(own, linkedId))}>
            {linkedId === null ? t('linkThis') : t('replace')}
          </Button>
        )}
        {linkedId !== null && linkedId !== own && (
          <Button variant="quiet" onClick={() => creditIdStore.write(linkedId)}>
            {t('use')}
          </Button>
        )}
        {linked && linked.state !== 'none' && (
          <Button variant="quiet" loading={pending} onClick={() => void attempt(unlinkCredit)}>
            {t('unlink')}
          </Button>
        )}
      </div>
      {differs && <p className={text.hint}>{t('useHint')}</p>}
      <p className={text.hint}>{t('privacy')}</p>
    </section>
  )
}
