'use client'

import { useTranslations } from 'next-intl'
import { useCallback, useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import text from '@/components/ui/text.module.css'
import { listIdentities, type UserIdentity, unlinkIdentity } from '@/lib/auth/client/identities'
import { linkWithOneTap, oneTapClientId } from '@/lib/auth/client/one-tap'
import { providerName, type WaysIn } from '@/lib/auth/client/service-settings'
import { leaveForProvider } from '@/lib/auth/client/sign-in'
import { AccountRow } from './account-row'
import styles from './auth.module.css'
import { AuthError } from './auth-error'
import { useCaptcha } from './captcha'
import { wayName } from './names'
import { useAction, useAuth, useWaysIn } from './use-auth'

/** The account's identities at other providers: link more, unlink all but the last. */
export function IdentitiesSection() {
  const t = useTranslations('auth.identities')
  const words = useTranslations('auth')
  const { store, settings } = useAuth()
  const { run, pending, error } = useAction()
  const ways = useWaysIn()
  const captcha = useCaptcha()
  const [identities, setIdentities] = useState<UserIdentity[]>([])

  const reload = useCallback(async () => {
    const listed = await run(() => listIdentities(store))
    if (listed) setIdentities(listed)
  }, [run, store])

  useEffect(() => {
    void reload()
  }, [reload])

  const unlink = async (identity: UserIdentity) => {
    if (await run(() => unlinkIdentity(store, identity, identities))) await reload()
  }

  const linkByDialog = (clientId: string) =>
    captcha.withToken(captchaToken => linkWithOneTap(store, { clientId, captchaToken }))
  /** Uses the browser's own dialog if there is one, else goes to the provider's page. */
  const link = async (provider: WaysIn['providers'][number]) => {
    const clientId = oneTapClientId(settings, provider)
    if (clientId === null) await run(() => leaveForProvider(store, settings, { provider, purpose: 'link' }))
    else if (await run(() => linkByDialog(clientId))) await reload()
  }

  const linked = new Set(identities.map(identity => identity.provider))
  const linkable = (ways?.data?.providers ?? []).filter(provider => !linked.has(provider))
  return (
    <section className={styles.section} aria-labelledby="identities-title">
      <h3 id="identities-title" tabIndex={-1} className={styles.title}>
        {t('title')}
      </h3>
      <AuthError error={error} />
      <ul className={styles.list}>
        {identities.map(identity => (
          <AccountRow
            key={identity.identity_id}
            name={wayName(identity.provider, words)}
            detail={identity.identity_data?.email}
            removal={
              identities.length > 1
                ? {
                    label: t('unlink'),
                    fullLabel: t('unlinkName', { provider: wayName(identity.provider, words) }),
                    pending,
                    onRemove: () => void unlink(identity),
                  }
                : null
            }
          />
        ))}
      </ul>
      {identities.length === 1 && <p className={text.hint}>{words('errors.lastIdentity')}</p>}
      <div className={styles.row}>
        {linkable.map(provider => (
          <Button key={provider} variant="quiet" loading={pending} onClick={() => void link(provider)}>
            {t('link', { provider: providerName(provider) })}
          </Button>
        ))}
      </div>
      {captcha.frame}
    </section>
  )
}
