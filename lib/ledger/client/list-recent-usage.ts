import { listUsage } from './list-usage'
import type { UsageEntry } from './usage-entry'
import type { UsageFilter } from './usage-filter'

/** The largest page that the API gives. */
const PAGE_SIZE = 500
/** Two thousand calls are months of chatting; a chart of more would keep a phone waiting. */
const PAGE_COUNT_MAX = 4

export interface RecentUsage {
  entries: UsageEntry[]
  /** There are older calls that are not in here. */
  truncated: boolean
}

/** As many of the newest calls as a chart takes. @throws ApiCallError */
export async function listRecentUsage(creditId: string, filter: UsageFilter): Promise<RecentUsage> {
  const entries: UsageEntry[] = []
  let cursor: string | null = null
  for (let count = 0; count < PAGE_COUNT_MAX; count += 1) {
    const page = await listUsage(creditId, filter, { limit: PAGE_SIZE, cursor })
    entries.push(...page.entries)
    cursor = page.nextCursor
    if (cursor === null) break
  }
  return { entries, truncated: cursor !== null }
}
