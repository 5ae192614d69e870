import { CONTRACTS } from '@/lib/api/application'
import { llmsText } from '@/lib/api/llms-text'
import { serverSettings } from '@/lib/config/server-settings'
import { ANY_ORIGIN_HEADERS } from '@/lib/http/cross-site'
import { siteAddress } from '@/lib/i18n/site-address'

export const dynamic = 'force-dynamic'

export function GET(): Response {
  const settings = serverSettings()
  return new Response(llmsText(CONTRACTS, { appName: settings.appName, site: siteAddress(settings) }), {
    headers: {
      ...ANY_ORIGIN_HEADERS,
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'public, max-age=300',
    },
  })
}
