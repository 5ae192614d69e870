import { callApiForJson, fieldOf, textOf } from '@/lib/http/client/call-api'
import { parseUsageEntry, type UsageEntry } from './usage-entry'
import { type UsageFilter, usagePath } from './usage-filter'

export interface UsageEntryPage {
  entries: UsageEntry[]
  nextCursor: string | null
}

/** Newest first. @throws ApiCallError */
export async function listUsage(
  creditId: string,
  filter: UsageFilter,
  page: { limit: number; cursor: string | null },
): Promise<UsageEntryPage> {
  const answer = await callApiForJson({ method: 'GET', path: usagePath(filter, page), bearer: creditId })
  const data = fieldOf(answer, 'data')
  return {
    entries: Array.isArray(data) ? data.flatMap(entry => parseUsageEntry(entry) ?? []) : [],
    nextCursor: textOf(answer, 'next_cursor'),
  }
}
