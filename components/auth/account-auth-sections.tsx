'use client'

import { useTranslations } from 'next-intl'
import layout from '@/components/ui/layout.module.css'
import { Status } from '@/components/ui/status'
import text from '@/components/ui/text.module.css'
import { AuthError } from './auth-error'
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
  if (loading) return <Status>{t('loading')}</Status>
  if (!user) return <SignInPanel initialError={initialError ?? error} />
  return (
    <div className={layout.sections}>
      <Status className={text.muted}>
        {t('signedInAs', { name: user.email ?? user.phone ?? t('unnamed') })}
      </Status>
      <AuthError error={initialError ?? error} />
      {canLinkCredit && <LinkedCreditSection />}
      <ProfileSection />
      <IdentitiesSection />
      <PasskeysSection />
      <FactorsSection appName={appName} />
      <SignOutSection canLinkCredit={canLinkCredit} />
    </div>
  )
}
