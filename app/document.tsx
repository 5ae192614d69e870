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
import { ALIVE_EVENT, keepEarlyInput } from '@/components/shell/early-input'
import { LazyAuthProvider } from '@/components/shell/lazy-auth-provider'
import { PageAlive } from '@/components/shell/page-alive'
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
import { siteAddress } from '@/lib/i18n/site-address'
import { formatMoney } from '@/lib/money/format-money'
import { ERROR_REPORTS_META } from '@/lib/telemetry/client/error-reports-meta'
import styles from './document.module.css'

/** The one typeface of the interface, served from this site (Latin letters, weights 400 to 700). */
const instrumentSans = localFont({
  src: '../node_modules/@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2',
  weight: '400 700',
  variable: '--font-instrument',
  display: 'swap',
  preload: true,
})

/** The metadata of every page that has none of its own. */
export async function siteMetadata(): Promise<Metadata> {
  const settings = serverSettings()
  const { appName } = settings
  const t = await getTranslations('shell')
  return {
    metadataBase: new URL(siteAddress(settings)),
    title: { default: t('siteTitle', { appName }), template: `%s · ${appName}` },
    description: t('siteDescription'),
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
 * Runs inline before the first paint, and is therefore written as plain text. It copies the theme in the stored
 * settings to `data-theme`, where anything but light or dark means the system's choice. If there is a credit, it sets
 * `data-credit`; unless its last known balance was zero, `data-had-credit`: a credit that was never asked about came
 * here from elsewhere, and hardly empty.
 */
const FIRST_PAINT_SCRIPT = `try{var d=document.documentElement.dataset,c=localStorage.getItem("credit_id");if(c)d.credit="";var r=function(k){return JSON.parse(localStorage.getItem(k)||"{}")},t=r("settings").theme;if(t)d.theme=t;if(c&&r("lastBalance").amountUsd!==0)d.hadCredit=""}catch(e){}`

const EARLY_INPUT_SCRIPT = `(${keepEarlyInput})("${ALIVE_EVENT}")`

/** The document around every page, including the "not found" page. */
export async function SiteDocument({ children }: { children: ReactNode }) {
  const locale = await getLocale()
  const { appName, sandbox, supportWidget } = serverSettings()
  // Reading a header also makes every page dynamic, which its nonce needs.
  const nonce = (await headers()).get('x-nonce') ?? undefined
  return (
    <html lang={locale} className={instrumentSans.variable} suppressHydrationWarning>
      <head>
        {/* Not in Next's viewport, which is rendered again with each page and would discard what Theme has set. */}
        <meta name="theme-color" media="(prefers-color-scheme: light)" content="#faf6ef" />
        <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#17130f" />
        <Theme nonce={nonce}>{FIRST_PAINT_SCRIPT}</Theme>
        {/* Browsers hide the nonce, a difference that hydration must ignore. */}
        <script nonce={nonce} suppressHydrationWarning>
          {EARLY_INPUT_SCRIPT}
        </script>
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
              <PageAlive />
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

/** Provides the session of the signed-in person; nothing if the operator has not configured sign-in. */
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

/** Loads the telemetry that the operator has configured, if any. */
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
