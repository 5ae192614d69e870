import type { MetadataRoute } from 'next'
import { serverSettings } from '@/lib/config/server-settings'
import { getPathname } from '@/lib/i18n/locale-path'
import { routing } from '@/lib/i18n/routing'
import { siteAddress } from '@/lib/i18n/site-address'

export const dynamic = 'force-dynamic'

/** Pages that are the same for everybody. */
const INDEXED_HREFS = ['/', '/pricing', '/terms', '/privacy'] as const

export default function sitemap(): MetadataRoute.Sitemap {
  const site = siteAddress(serverSettings())
  return INDEXED_HREFS.flatMap(href => {
    const addresses = routing.locales.map(
      locale => [locale, `${site}${getPathname({ locale, href })}`] as const,
    )
    return addresses.map(([, url]) => ({ url, alternates: { languages: Object.fromEntries(addresses) } }))
  })
}
