import type { MetadataRoute } from 'next'
import { serverSettings } from '@/lib/config/server-settings'
import { siteAddress } from '@/lib/i18n/site-address'

export const dynamic = 'force-dynamic'

export default function robots(): MetadataRoute.Robots {
  return {
    rules: {
      userAgent: '*',
      allow: '/',
      // No page: what says `noindex` has to be read for that.
      disallow: ['/api/', '/v1/', '/auth/'],
    },
    sitemap: `${siteAddress(serverSettings())}/sitemap.xml`,
  }
}
