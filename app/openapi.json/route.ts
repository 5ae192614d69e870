import { CONTRACTS } from '@/lib/api/application'
import { openApiDocument } from '@/lib/api/openapi'
import { serverSettings } from '@/lib/config/server-settings'
import { ANY_ORIGIN_HEADERS } from '@/lib/http/cross-site'
import { siteAddress } from '@/lib/i18n/site-address'

export const dynamic = 'force-dynamic'

/** Made once: it takes some forty milliseconds, and anybody may ask for it. */
let document: string | null = null

export function GET(): Response {
  document ??= describeSite()
  return new Response(document, {
    headers: {
      ...ANY_ORIGIN_HEADERS,
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
    },
  })
}

function describeSite(): string {
  const settings = serverSettings()
  return JSON.stringify(
    openApiDocument(CONTRACTS, { appName: settings.appName, site: siteAddress(settings) }),
  )
}
