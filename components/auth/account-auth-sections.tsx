'use client'

import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import layout from '@/components/ui/layout.module.css'
import { Status } from '@/components/ui/status'
import text from '@/components/ui/text.module.css'
import { SESSION_ENDED_COOKIE } from '@/lib/auth/domain/session-state'
import { AuthError } from './auth-error'
import { forgetMailedAddress } from './email-code-form'
import { FactorsSection } from './factors-section'
import { IdentitiesSection } from './identities-section'
import { LinkedCreditSection } from './linked-credit-section'
import { PasskeysSection } from './passkeys-section'
import { ProfileSection } from './profile-section'
import { SignInPanel } from './sign-in-panel'
import { SignOutSection } from './sign-out-section'
import { useSession } from './use-auth'
import { useKeptFocus } from './use-kept-focus'

interface AccountAuthSectionsProps {
  /** Shown as the issuer in an authenticator app. */
  appName: string
  /** Whether the operator has set the key that linked credits are sealed with. */
  canLinkCredit: boolean
  /** `auth_error` of the page's address: a key of `auth.errors`. */
  initialError: string | null
}

/** The sign-in part of the account page: the ways to sign in, or what a signed-in person can manage. */
export function AccountAuthSections(props: AccountAuthSectionsProps) {
  return (
    <div ref={useKeptFocus()}>
      <Sections {...props} />
    </div>
  )
}

function Sections({ appName, canLinkCredit, initialError }: AccountAuthSectionsProps) {
  const t = useTranslations('auth')
  const { user, loading, error } = useSession()
  const [linkChangeCount, setLinkChangeCount] = useState(0)
  const failure = useFailure(initialError, loading ? undefined : (user?.id ?? null))
  useEffect(() => {
    if (user) forgetMailedAddress()
  }, [user])
  if (loading) return <Status>{t('loading')}</Status>
  if (!user) return <SignInPanel initialError={failure ?? error} />
  return (
    // Another tab may sign in somebody else, to whom nothing in here belongs.
    <div key={user.id} className={layout.sections}>
      <Status className={text.muted}>
        {t('signedInAs', { name: user.email ?? user.phone ?? t('unnamed') })}
      </Status>
      <AuthError error={failure ?? error} />
      {canLinkCredit && <LinkedCreditSection onChange={() => setLinkChangeCount(count => count + 1)} />}
      <ProfileSection />
      {/* It names the address, and asks the service for it. */}
      <IdentitiesSection key={user.email} />
      <PasskeysSection />
      <FactorsSection appName={appName} />
      {/* What it knows of the link, and asks about it, begins anew. */}
      <SignOutSection key={linkChangeCount} canLinkCredit={canLinkCredit} />
    </div>
  )
}

/**
 * Why an attempt failed or the session ended, until somebody signs in or out. It is removed at once from the page's
 * address, to which the next sign-in returns, and the note of a session's end from the cookies.
 *
 * @param userId undefined while it is not known who is signed in
 */
function useFailure(initialError: string | null, userId: string | null | undefined): string | null {
  const [told, setTold] = useState({ failure: initialError, userId })
  if (userId !== told.userId) {
    setTold({ failure: told.userId === undefined ? told.failure : null, userId })
  }
  useEffect(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in browsers that are supported.
    document.cookie = `${SESSION_ENDED_COOKIE}=; path=/; max-age=0`
    const address = new URL(window.location.href)
    if (!address.searchParams.has('auth_error')) return
    address.searchParams.delete('auth_error')
    window.history.replaceState(window.history.state, '', address)
  }, [])
  // The note may be older than the sign-in, on a page that was open when another one noticed the end.
  return userId && told.failure === 'sessionEnded' ? null : told.failure
}
