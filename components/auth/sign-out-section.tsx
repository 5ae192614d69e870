'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import { finishReplacement } from '@/components/credit/replace-leaked-credit'
import { Button } from '@/components/ui/button'
import layout from '@/components/ui/layout.module.css'
import text from '@/components/ui/text.module.css'
import { useStore } from '@/components/ui/use-store'
import type { AuthResult } from '@/lib/auth/client/auth-result'
import { showLinkedCredit } from '@/lib/auth/client/linked-credit'
import { signOut } from '@/lib/auth/client/sign-out'
import { isAnswering } from '@/lib/exchange/client/pending-exchanges'
import { getPathname } from '@/lib/i18n/locale-path'
import { creditIdStore } from '@/lib/local/credit-id'
import { creditReplacementStore } from '@/lib/local/credit-replacement'
import styles from './auth.module.css'
import { AuthError } from './auth-error'
import { useAction, useAuth } from './use-auth'

type Scope = 'local' | 'global'

/**
 * Signs out here or everywhere, and keeps or removes this browser's credit as the person chooses. Keeping is the
 * default, since removing a credit that is neither linked nor written down loses its money. A linked credit comes back
 * with the next sign-in and should go from a shared computer, so there we ask first.
 */
export function SignOutSection({ canLinkCredit }: { canLinkCredit: boolean }) {
  const t = useTranslations('auth.sessions')
  const locale = useLocale()
  const { store } = useAuth()
  const { run, pending, error } = useAction()
  const [choice, setChoice] = useState<boolean | null>(null)
  const [linkedId, setLinkedId] = useState<string | null>(null)
  const creditId = useStore(creditIdStore)
  // Not if another credit has taken the place of the linked one since.
  const comesBack = creditId !== null && creditId === linkedId

  const removesCredit = choice ?? comesBack
  const forgetCredit = () => {
    creditIdStore.remove()
    creditReplacementStore.remove()
  }
  const leave = async (scope: Scope) => {
    if (canLinkCredit && creditId !== null && choice === null && !comesBack) {
      const linked = await run(async () => ({ data: await showLinkedCredit(), error: null }))
      if (linked?.data?.creditId === creditId) {
        setLinkedId(creditId)
        return
      }
    }
    const isMoving = creditReplacementStore.getSnapshot()?.state === 'moving'
    if (removesCredit && isMoving && !(await run(awaitMoving))) return
    // The session here ends at once, whether the service answers or not, and the person may leave the computer then.
    if (scope === 'local' && removesCredit) forgetCredit()
    if ((await run(() => signOut(store, scope))) && removesCredit) forgetCredit()
  }

  return (
    <section className={styles.section} aria-labelledby="sign-out-title">
      <h3 id="sign-out-title" tabIndex={-1} className={styles.title}>
        {t('title')}
      </h3>
      <p className={text.muted}>{t('lead')}</p>
      {creditId !== null && (
        <fieldset className={layout.choices}>
          <legend className={styles.legend}>{t('credit')}</legend>
          {[comesBack, !comesBack].map(removes => (
            <label key={String(removes)} className={styles.choice}>
              <input
                type="radio"
                name="credit-fate"
                checked={removesCredit === removes}
                onChange={() => setChoice(removes)}
              />
              {removes ? t('remove') : t('keep')}
            </label>
          ))}
          <p role="status" className={text.hint}>
            {comesBack ? t('linkedHint') : removesCredit && t('removeHint')}
            {removesCredit && isAnswering(creditId) && ` ${t('removeAnswering')}`}
          </p>
        </fieldset>
      )}
      <AuthError error={error} />
      {/* A plain form, which works without JavaScript too. */}
      <form method="post" action="/auth/sign-out" className={styles.row}>
        <input type="hidden" name="return_path" value={getPathname({ href: '/account', locale })} />
        {(['local', 'global'] as const).map(scope => (
          <Button
            key={scope}
            type="submit"
            name="scope"
            value={scope}
            variant="quiet"
            loading={pending}
            onClick={event => {
              event.preventDefault()
              void leave(scope)
            }}
          >
            {scope === 'local' ? t('here') : t('everywhere')}
          </Button>
        ))}
      </form>
    </section>
  )
}

/** Of a leaked credit, money may still follow to the one that took its place, which must not be forgotten before. */
async function awaitMoving(): Promise<AuthResult<true>> {
  try {
    await finishReplacement()
    return { data: true, error: null }
  } catch {
    return { data: null, error: 'creditFollowed' }
  }
}
