import { services } from '@/lib/composition'
import { ApiError } from '@/lib/http/api-error'
import { handleApi } from '@/lib/http/handle-api'
import { hasBearerSecret } from '@/lib/http/same-secret'
import { formatUsd } from '@/lib/money/nano'
import { runUpkeep } from '@/lib/upkeep'

/** Vercel Cron asks with GET, everybody else with POST. */
export const POST = handleApi(async request => {
  const kept = await services()
  if (kept.settings.cronSecret === null) throw new ApiError('not_found', 'Set CRON_SECRET to use this route.')
  if (!hasBearerSecret(request, kept.settings.cronSecret))
    throw new ApiError('invalid_credential', 'Send CRON_SECRET as "Authorization: Bearer …".')
  const result = await runUpkeep(kept)
  return Response.json(
    {
      checked_count: result.checkedCount,
      failed_count: result.failedCount,
      credited_usd: formatUsd(result.creditedNano),
      released_hold_count: result.releasedHoldCount,
      settled_hold_count: result.settledHoldCount,
    },
    { headers: { 'cache-control': 'no-store' } },
  )
})

export const GET = POST
