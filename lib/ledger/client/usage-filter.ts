/** Which calls to list; null filters nothing. */
export interface UsageFilter {
  modelId: string | null
  keyId: string | null
  /** Unix seconds, counted in. */
  fromSeconds: number | null
}

/** The path of a page of the history. No secret is in it: the credential goes into a header. */
export function usagePath(
  filter: UsageFilter,
  page: { limit: number; cursor: string | null; format?: 'csv' },
): string {
  const parameters = new URLSearchParams({ limit: String(page.limit) })
  if (page.cursor !== null) parameters.set('cursor', page.cursor)
  if (page.format) parameters.set('format', page.format)
  if (filter.modelId !== null) parameters.set('model', filter.modelId)
  if (filter.keyId !== null) parameters.set('api_key_id', filter.keyId)
  if (filter.fromSeconds !== null) parameters.set('from', String(filter.fromSeconds))
  return `/queries/history?${parameters}`
}
