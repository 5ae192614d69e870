import './globals.css'
import type { Metadata, Viewport } from 'next'
import localFont from 'next/font/local'
import { headers } from 'next/headers'
import { getLocale, getTranslations } from 'next-intl/server'
import type { ReactNode } from 'react'
import { LegalLinks } from '@/components/legal/site-links'
import { OfflineSupport } from '@/components/offline/offline-support'
import { Bar } from '@/components/shell/bar'
import { BrowserData } from '@/components/shell/browser-data'
import { ClientMessages } from '@/components/shell/client-messages'
import { DataFetching } from '@/components/shell/data-fetching'
import { LazyAuthProvider } from '@/components/shell/lazy-auth-provider'
import { PageFocus } from '@/components/shell/page-focus'
import { PageProgress } from '@/components/shell/page-progress'
import { PersistentParts } from '@/components/shell/persistent-parts'
import { Sidebar } from '@/components/shell/sidebar'
import { SkipLink } from '@/components/shell/skip-link'
import { StoredLanguage } from '@/components/shell/stored-language'
import { Theme } from '@/components/shell/theme'
import { LazyShortcuts } from '@/components/shortcuts/lazy-shortcuts'
import { Support } from '@/components/support/support'
import { LazyConsentedAnalytics } from '@/components/telemetry/lazy-consented-analytics'
import { LazyPageTelemetry, LazyVercelInsights } from '@/components/telemetry/lazy-telemetry'
import { MAIN_ID } from '@/components/ui/focus'
import { publicAuthSettings } from '@/lib/auth/server/public-auth-settings'
import { sessionFromRequest } from '@/lib/auth/server/session-from-request'
import { serverSettings } from '@/lib/config/server-settings'
import { formatMoney } from '@/lib/money/format-money'
import { ERROR_REPORTS_META } from '@/lib/telemetry/client/error-reports-meta'
import styles from './document.module.css'

/** The one typeface of the interface, served from this site (latin letters, weights 400 to 700). */
const instrumentSans = localFont({
  src: '../node_modules/@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2',
  weight: '400 700',
  variable: '--font-instrument',
  display: 'swap',
  preload: true,
})

/** What every page says of itself unless it says otherwise. */
export async function siteMetadata(): Promise<Metadata> {
  const { appName, siteUrl, port } = serverSettings()
  const t = await getTranslations('shell')
  return {
    metadataBase: new URL(siteUrl ?? `http://localhost:${port}`),
    title: { default: t('siteTitle', { appName }), template: `%s · ${appName}` },
    description: t('siteDescription', { appName }),
    applicationName: appName,
    openGraph: { siteName: appName, type: 'website', images: '/opengraph-image.png' },
  }
}

export const siteViewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  viewportFit: 'cover',
  interactiveWidget: 'resizes-content',
}

/**
 * Runs inline before anything is drawn, so it is written out as plain text: the theme in the stored settings
 * goes to `data-theme`, where anything but light or dark leaves the choice to the system. Where the last
 * balance that was told was more than nothing there is `data-had-credit`.
 */
const FIRST_PAINT_SCRIPT = `try{var d=document.documentElement.dataset,r=function(k){return JSON.parse(localStorage.getItem(k)||"{}")};t=r("settings").theme;if(t)d.theme=t;if(r("lastBalance").amountUsd>0)d.hadCredit=""}catch(e){}`

/** What stands around every page, and around the one that says that there is none. */
export async function SiteDocument({ children }: { children: ReactNode }) {
  const locale = await getLocale()
  const { appName, sandbox, supportWidget } = serverSettings()
  // Reading a header also makes every page dynamic, which its nonce needs.
  const nonce = (await headers()).get('x-nonce') ?? undefined
  return (
    <html lang={locale} className={instrumentSans.variable} suppressHydrationWarning>
      <head>
        {/* Not in Next's viewport: that comes anew with each page, and would lose what Theme has set here. */}
        <meta name="theme-color" media="(prefers-color-scheme: light)" content="#faf6ef" />
        <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#17130f" />
        <Theme nonce={nonce}>{FIRST_PAINT_SCRIPT}</Theme>
      </head>
      <body>
        <ClientMessages>
          <DataFetching>
            <SessionBoundary>
              <SkipLink />
              <div className={styles.frame}>
                <Sidebar appName={appName} isSandbox={sandbox.gateway} legal={<LegalLinks />} />
                <div className={styles.column}>
                  <Bar
                    appName={appName}
                    isSandbox={sandbox.gateway}
                    zero={formatMoney(0, locale)}
                    legal={<LegalLinks />}
                    support={supportWidget && <Support widget={supportWidget} appName={appName} />}
                  />
                  <main id={MAIN_ID} tabIndex={-1} className={styles.main}>
                    {children}
                  </main>
                </div>
              </div>
              <PersistentParts />
              <PageFocus />
              <PageProgress />
              <LazyShortcuts />
              <StoredLanguage />
              <BrowserData />
              <OfflineSupport />
              <Telemetry />
            </SessionBoundary>
          </DataFetching>
        </ClientMessages>
      </body>
    </html>
  )
}

interface SessionBoundaryProps {
  children: ReactNode
}

/** Gives the pages who is signed in; nothing at all where the operator has set up no sign-in. */
async function SessionBoundary({ children }: SessionBoundaryProps) {
  const settings = publicAuthSettings()
  const initial = await sessionFromRequest()
  if (!settings || !initial) return children
  return (
    <LazyAuthProvider settings={settings} initial={initial}>
      {children}
    </LazyAuthProvider>
  )
}

/** Tells the browser what the operator has configured; nothing at all where that is nothing. */
async function Telemetry() {
  const { sentryDsn, analytics, analyticsFrameUrl, onVercel } = serverSettings()
  const t = await getTranslations('analytics')
  return (
    <>
      {sentryDsn && <meta name={ERROR_REPORTS_META} content={sentryDsn} />}
      {analyticsFrameUrl ? (
        <LazyConsentedAnalytics
          address={analyticsFrameUrl}
          question={t('question', { host: new URL(analyticsFrameUrl).host })}
          allow={t('allow')}
        />
      ) : (
        analytics && <LazyPageTelemetry />
      )}
      {onVercel && <LazyVercelInsights />}
    </>
  )
}
