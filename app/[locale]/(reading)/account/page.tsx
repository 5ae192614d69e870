import type { Metadata } from 'next'
import { cookies } from 'next/headers'
import { getTranslations } from 'next-intl/server'
import { AccountIndex } from '@/components/account/account-index'
import { AccountSection } from '@/components/account/account-section'
import { LazyAuthSections } from '@/components/account/lazy-auth-sections'
import { CarrySection, RestoreSection } from '@/components/carry/carry-section'
import { LeakedCreditSection } from '@/components/carry/leaked-credit-section'
import { CreditPanel } from '@/components/credit/credit-panel'
import { WalletSection } from '@/components/credit/wallet/wallet-section'
import { KeysSection } from '@/components/keys/keys-section'
import { LegacyKeySection } from '@/components/legacy-key/legacy-key-section'
import { RefillSection } from '@/components/refill/refill-section'
import { SettingsForm } from '@/components/settings/settings-form'
import { ClientMessages } from '@/components/shell/client-messages'
import { NeedsScript } from '@/components/shell/needs-script'
import { PageFrame } from '@/components/shell/page-frame'
import { AnalyticsSwitch } from '@/components/telemetry/analytics-consent'
import { UsageSection } from '@/components/usage/usage-section'
import { YourData } from '@/components/your-data/your-data'
import { SIGN_IN_SECTION } from '@/lib/auth/domain/auth-flow'
import { SESSION_ENDED_COOKIE } from '@/lib/auth/domain/session-state'
import { publicAuthSettings } from '@/lib/auth/server/public-auth-settings'
import { services } from '@/lib/composition'

const NAMESPACES = [
  'account',
  'carry',
  'cost',
  'keys',
  'legacyKey',
  'refill',
  'settings',
  'usage',
  'wallet',
  'yourData',
] as const

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('account')
  return { title: t('title'), robots: { index: false } }
}

export default async function AccountPage({ searchParams }: PageProps<'/[locale]/account'>) {
  const [t, carry, refill, keys, usage, wallet] = await Promise.all([
    getTranslations('account'),
    getTranslations('carry'),
    getTranslations('refill'),
    getTranslations('keys'),
    getTranslations('usage'),
    getTranslations('wallet'),
  ])
  const { settings, creditLinks } = await services()
  const { auth_error: authError } = await searchParams
  const hasSignIn = publicAuthSettings() !== null
  const hasEnded = (await cookies()).has(SESSION_ENDED_COOKIE)
  return (
    <ClientMessages namespaces={hasSignIn ? [...NAMESPACES, 'auth'] : NAMESPACES}>
      <NeedsScript />
      <PageFrame title={t('title')} lead={t('lead')}>
        <AccountIndex
          sections={[
            { id: 'credit', title: t('credit') },
            { id: 'carry', title: carry('title'), needsCredit: true },
            { id: 'leaked', title: carry('leaked.title'), needsCredit: true },
            { id: 'restore', title: carry('restoreTitle') },
            { id: 'wallet', title: wallet('title') },
            { id: 'refill', title: refill('title'), needsCredit: true },
            { id: 'keys', title: keys('title'), needsCredit: true },
            { id: 'usage', title: usage('title'), needsCredit: true },
            ...(hasSignIn ? [{ id: SIGN_IN_SECTION, title: t('signIn') }] : []),
            { id: 'settings', title: t('settings') },
            { id: 'your-data', title: t('yourData') },
          ]}
        />
        <AccountSection id="credit" title={t('credit')}>
          <CreditPanel />
        </AccountSection>
        <LegacyKeySection />
        <CarrySection />
        <LeakedCreditSection canLinkCredit={hasSignIn && creditLinks !== null} />
        <RestoreSection />
        <WalletSection />
        <RefillSection />
        <KeysSection />
        <UsageSection />
        {hasSignIn && (
          <AccountSection id={SIGN_IN_SECTION} title={t('signIn')} lead={t('signInLead')}>
            <LazyAuthSections
              appName={settings.appName}
              canLinkCredit={creditLinks !== null}
              initialError={typeof authError === 'string' ? authError : hasEnded ? 'sessionEnded' : null}
            />
          </AccountSection>
        )}
        <AccountSection id="settings" title={t('settings')}>
          <SettingsForm />
          {settings.analyticsFrameUrl && <Analytics address={settings.analyticsFrameUrl} />}
        </AccountSection>
        <AccountSection id="your-data" title={t('yourData')}>
          <YourData />
        </AccountSection>
      </PageFrame>
    </ClientMessages>
  )
}

/** The visitor's consent to the analytics tag, if the operator uses one. */
async function Analytics({ address }: { address: string }) {
  const t = await getTranslations('analytics')
  const { host, origin } = new URL(address)
  return (
    <AnalyticsSwitch
      origin={origin}
      label={t('setting', { host })}
      hint={t('settingHint')}
      refusedHint={t('settingRefused')}
    />
  )
}
