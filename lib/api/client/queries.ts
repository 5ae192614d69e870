import { callApi, callApiFor } from '@/lib/http/client/call-api'
import type { Query, QueryPage } from '../contracts/queries'
import { QUERY_PAGE_SIZE_MAX } from '../domain/api-limits'

/** Pages of a CSV file: as many rows below the header as the usual spreadsheets can show, which is a million. */
const CSV_PAGE_COUNT_MAX = Math.floor((2 ** 20 - 1) / QUERY_PAGE_SIZE_MAX)
/** Pages of a chart: 2,000 calls are months of chatting, and more would take a phone too long. */
const RECENT_PAGE_COUNT_MAX = 4

/** Pages of a statement: 10,000 calls, a busy month of an agent. */
const STATEMENT_PAGE_COUNT_MAX = 20

/** Which calls to list; null filters nothing. */
export interface QueryFilter {
  modelId: string | null
  keyId: string | null
  /** Unix seconds, inclusive. */
  fromSeconds: number | null
  /** Unix seconds, exclusive. */
  toSeconds?: number
}

interface Page {
  limit: number
  cursor: string | null
  format?: 'csv'
}

/** Newest first. @throws ApiCallError */
export function fetchQueries(creditId: string, filter: QueryFilter, page: Page): Promise<QueryPage> {
  return callApiFor<QueryPage>('data', { method: 'GET', path: queriesPath(filter, page), bearer: creditId })
}

/** One call, by its exchange's id. @throws ApiCallError */
export function fetchQuery(creditId: string, exchangeId: string): Promise<Query> {
  const path = `/queries/${encodeURIComponent(exchangeId)}`
  return callApiFor<Query>('timestamp', { method: 'GET', path, bearer: creditId })
}

/** The signed statement of what one call cost, as a compact JWS. @throws ApiCallError */
export async function fetchReceipt(creditId: string, exchangeId: string): Promise<string> {
  const path = `/queries/${encodeURIComponent(exchangeId)}/receipt`
  return (await callApi({ method: 'GET', path, bearer: creditId })).text()
}

export interface RecentQueries {
  entries: Query[]
  /** There are older calls that were not fetched. */
  truncated: boolean
}

/** The newest calls, at most as many as a chart shows. @throws ApiCallError */
export function fetchRecentQueries(creditId: string, filter: QueryFilter): Promise<RecentQueries> {
  return fetchPages(creditId, filter, RECENT_PAGE_COUNT_MAX)
}

/** The newest calls between two times, at most as many as a statement shows. @throws ApiCallError */
export function fetchMonth(
  creditId: string,
  times: { fromSeconds: number; toSeconds: number },
): Promise<RecentQueries> {
  return fetchPages(creditId, { modelId: null, keyId: null, ...times }, STATEMENT_PAGE_COUNT_MAX)
}

async function fetchPages(
  creditId: string,
  filter: QueryFilter,
  pageCountMax: number,
): Promise<RecentQueries> {
  const entries: Query[] = []
  let cursor: string | null = null
  for (let count = 0; count < pageCountMax; count += 1) {
    const page: QueryPage = await fetchQueries(creditId, filter, { limit: QUERY_PAGE_SIZE_MAX, cursor })
    entries.push(...page.data)
    cursor = page.next_cursor
    if (cursor === null) break
  }
  return { entries, truncated: cursor !== null }
}

/** All matching calls as one CSV text, with the header line of the first page. @throws ApiCallError */
export async function fetchQueriesCsv(creditId: string, filter: QueryFilter): Promise<string> {
  const pages: string[] = []
  let cursor: string | null = null
  for (let count = 0; count < CSV_PAGE_COUNT_MAX; count += 1) {
    const path = queriesPath(filter, { limit: QUERY_PAGE_SIZE_MAX, cursor, format: 'csv' })
    const response = await callApi({ method: 'GET', path, bearer: creditId })
    const page = await response.text()
    pages.push(pages.length === 0 ? page : withoutHeader(page))
    cursor = response.headers.get('x-next-cursor')
    if (cursor === null) break
  }
  return pages.join('')
}

/** The header line has no quoted cell, so it ends at the first line break. */
function withoutHeader(page: string): string {
  return page.slice(page.indexOf('\r\n') + 2)
}

/** The path of a page of the history. It contains no secret: the credential is sent in a header. */
export function queriesPath(filter: QueryFilter, page: Page): string {
  const parameters = new URLSearchParams({ limit: String(page.limit) })
  if (page.cursor !== null) parameters.set('cursor', page.cursor)
  if (page.format) parameters.set('format', page.format)
  if (filter.modelId !== null) parameters.set('model', filter.modelId)
  if (filter.keyId !== null) parameters.set('api_key_id', filter.keyId)
  if (filter.fromSeconds !== null) parameters.set('from', String(filter.fromSeconds))
  if (filter.toSeconds !== undefined) parameters.set('to', String(filter.toSeconds))
  return `/queries/history?${parameters}`
}
