import { CONTRACTS } from '@/lib/api/application'
import { llmsText } from '@/lib/api/llms-text'
import { serverSettings } from '@/lib/config/server'
import { siteAddress } from '@/lib/i18n/site-address'

export const dynamic = 'force-dynamic'

export function GET(): Response {
  const settings = serverSettings()
  return new Response(llmsText(CONTRACTS, { appName: settings.appName, site: siteAddress(settings) }), {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=300' },
  })
}
