import type { MetadataRoute } from 'next'
import { headers } from 'next/headers'
import { getTranslations } from 'next-intl/server'
import { serverSettings } from '@/lib/config/server-settings'
import { getPathname } from '@/lib/i18n/locale-path'
import { routing } from '@/lib/i18n/routing'

// The name is configured by the operator, and read at run time.
export const dynamic = 'force-dynamic'

export default async function manifest(): Promise<MetadataRoute.Manifest> {
  const { appName } = serverSettings()
  // Browsers request it without cookies and for no particular page, so only their own language is known.
  const language = (await headers()).get('accept-language')?.slice(0, 2).toLowerCase()
  const locale = routing.locales.find(known => known === language) ?? routing.defaultLocale
  const t = await getTranslations({ locale, namespace: 'shell' })
  return {
    id: '/',
    scope: '/',
    start_url: '/',
    name: appName,
    short_name: appName,
    description: t('siteDescription'),
    lang: locale,
    dir: 'auto',
    display: 'standalone',
    background_color: '#faf6ef',
    theme_color: '#faf6ef',
    categories: ['productivity', 'utilities'],
    icons: [
      { src: '/icon.svg', sizes: 'any', type: 'image/svg+xml' },
      { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
      { src: '/icon-512.png', sizes: '512x512', type: 'image/png' },
      { src: '/icon-maskable.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ],
    shortcuts: [
      { name: t('flow.pricing'), url: getPathname({ locale, href: '/pricing' }) },
      { name: t('topUp'), url: getPathname({ locale, href: '/top-up' }) },
    ],
    // Handled by the service worker, so that shared text is not sent to the server.
    share_target: {
      action: '/share',
      method: 'POST',
      enctype: 'application/x-www-form-urlencoded',
      params: { title: 'title', text: 'text', url: 'url' },
    },
  }
}
