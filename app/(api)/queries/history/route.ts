import { services } from '@/lib/composition'
import { handleApi } from '@/lib/http/handle-api'
import { parseQuery } from '@/lib/http/parse-query'
import { requireAccount } from '@/lib/http/require-account'
import { usageQuery, usageToBody, usageToCsv } from '@/lib/ledger/domain/usage-query'

/** An API key sees the calls made with it; the credit_id sees them all. */
export const GET = handleApi(async request => {
  const { ledger } = await services()
  const { accountId, keyId } = await requireAccount(request, ledger)
  const query = parseQuery(new URL(request.url).searchParams, usageQuery)
  const page = await ledger.listUsage({
    accountId,
    limit: query.limit,
    cursor: query.cursor ?? null,
    from: query.from ?? null,
    to: query.to ?? null,
    modelId: query.model ?? null,
    keyId: keyId ?? query.api_key_id ?? null,
  })
  const headers = { 'cache-control': 'no-store' }
  if (query.format === 'json') {
    return Response.json({ data: page.records.map(usageToBody), next_cursor: page.nextCursor }, { headers })
  }
  return new Response(usageToCsv(page.records), {
    headers: {
      ...headers,
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="usage.csv"',
      ...(page.nextCursor ? { 'x-next-cursor': page.nextCursor } : {}),
    },
  })
})
