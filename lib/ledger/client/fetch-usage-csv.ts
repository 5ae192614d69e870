import { callApi } from '@/lib/http/client/call-api'
import { type UsageFilter, usagePath } from './usage-filter'

/** The largest page that the API gives. */
const PAGE_SIZE = 500
/** 50,000 calls: a file that every spreadsheet still opens. */
const PAGE_COUNT_MAX = 100

/** All matching calls as one CSV text, pages joined under the first one's header line. @throws ApiCallError */
export async function fetchUsageCsv(creditId: string, filter: UsageFilter): Promise<string> {
  let csv = ''
  let cursor: string | null = null
  for (let count = 0; count < PAGE_COUNT_MAX; count += 1) {
    const path = usagePath(filter, { limit: PAGE_SIZE, cursor, format: 'csv' })
    const response = await callApi({ method: 'GET', path, bearer: creditId })
    const page = await response.text()
    csv += csv === '' ? page : withoutHeader(page)
    cursor = response.headers.get('x-next-cursor')
    if (cursor === null) break
  }
  return csv
}

/** The header line has no quoted cell, so its end is the first line break. */
function withoutHeader(page: string): string {
  return page.slice(page.indexOf('\r\n') + 2)
}
