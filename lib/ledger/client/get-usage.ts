import { ApiCallError, callApiForJson } from '@/lib/http/client/call-api'
import { parseUsageEntry, type UsageEntry } from './usage-entry'

/** One call, by its exchange's id. @throws ApiCallError */
export async function getUsage(creditId: string, exchangeId: string): Promise<UsageEntry> {
  const path = `/queries/${encodeURIComponent(exchangeId)}`
  const entry = parseUsageEntry(await callApiForJson({ method: 'GET', path, bearer: creditId }))
  if (!entry) throw new ApiCallError('unknown')
  return entry
}
