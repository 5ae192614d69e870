import type { MetadataRoute } from 'next'
import { serverSettings } from '@/lib/config/server-settings'
import { siteAddress } from '@/lib/i18n/site-address'

export const dynamic = 'force-dynamic'

export default function robots(): MetadataRoute.Robots {
  return {
    rules: {
      userAgent: '*',
      allow: '/',
      disallow: ['/api/', '/v1/', '/account', '/top-up', '/auth/', '/c/', '/*/c/'],
    },
    sitemap: `${siteAddress(serverSettings())}/sitemap.xml`,
  }
}
