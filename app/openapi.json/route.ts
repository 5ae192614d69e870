import { CONTRACTS } from '@/lib/api/application'
import { openApiDocument } from '@/lib/api/openapi'
import { serverSettings } from '@/lib/config/server-settings'
import { ANY_ORIGIN_HEADERS } from '@/lib/http/cross-site'
import { siteAddress } from '@/lib/i18n/site-address'

export const dynamic = 'force-dynamic'

export function GET(): Response {
  const settings = serverSettings()
  const document = openApiDocument(CONTRACTS, { appName: settings.appName, site: siteAddress(settings) })
  return Response.json(document, {
    headers: { ...ANY_ORIGIN_HEADERS, 'cache-control': 'public, max-age=300' },
  })
}
