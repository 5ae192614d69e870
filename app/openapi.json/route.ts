import { serverSettings } from '@/lib/config/server'
import { openApiDocument } from '@/lib/http/openapi/document'
import { siteAddress } from '@/lib/i18n/site-address'

export const dynamic = 'force-dynamic'

export function GET(): Response {
  const settings = serverSettings()
  return Response.json(openApiDocument({ appName: settings.appName, site: siteAddress(settings) }), {
    headers: { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' },
  })
}
