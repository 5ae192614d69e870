import { services } from '@/lib/composition'
import { ApiError } from '@/lib/http/api-error'
import { handleApi } from '@/lib/http/handle-api'
import { hasBearerSecret } from '@/lib/http/same-secret'
import { formatUsd } from '@/lib/money/nano'
import { reconcileOnce } from '@/lib/payments/server/reconciler'

/** What has expired and is removed in one run; the rest waits for the next. */
const SWEPT_ROW_COUNT_MAX = 1_000

/** Vercel Cron asks with GET, everybody else with POST. */
export const POST = handleApi(async request => {
  const { payments, ledger, exchanges, settings } = await services()
  if (settings.cronSecret === null) throw new ApiError('not_found', 'Set CRON_SECRET to use this route.')
  if (!hasBearerSecret(request, settings.cronSecret))
    throw new ApiError('invalid_credential', 'Send CRON_SECRET as "Authorization: Bearer …".')
  const result = await reconcileOnce({ payments, ledger })
  await exchanges.sweep({ rowCountMax: SWEPT_ROW_COUNT_MAX })
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
