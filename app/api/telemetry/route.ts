import { after } from 'next/server'
import { requireSameOrigin } from '@/lib/auth/server/require-same-origin'
import { services } from '@/lib/composition'
import { ApiError } from '@/lib/http/api-error'
import { handleApi } from '@/lib/http/handle-api'
import { readJson } from '@/lib/http/read-body'
import { siteAddress } from '@/lib/i18n/site-address'
import { telemetryBody } from '@/lib/telemetry/domain/telemetry-body'
import { sendToAnalytics } from '@/lib/telemetry/server/send-to-analytics'

/** Eight events of the longest paths, and room. */
const BODY_BYTES_MAX = 8 * 1024

/** Page views and web vitals of our own pages, passed on to analytics; see the browser's part in lib/telemetry. */
export const POST = handleApi(async request => {
  const { settings, rateLimits } = await services()
  const { analytics } = settings
  if (!analytics) throw new ApiError('not_found', 'Analytics is not configured.')
  requireSameOrigin(request)
  await rateLimits.take('telemetry', request.headers)
  const body = await readJson(request, telemetryBody, BODY_BYTES_MAX)
  // Whoever asks not to be followed (Global Privacy Control, Do Not Track) is not counted either.
  const refused = request.headers.get('sec-gpc') === '1' || request.headers.get('dnt') === '1'
  if (!refused) after(() => sendToAnalytics({ settings: analytics, siteUrl: siteAddress(settings), body }))
  return new Response(null, { status: 204 })
})
