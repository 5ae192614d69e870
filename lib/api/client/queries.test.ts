import { afterEach, expect, jest, test } from '@jest/globals'
import { fetchQueriesCsv, fetchRecentQueries, queriesPath } from './queries'

const CREDIT_ID = '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01'
const EVERYTHING = { modelId: null, keyId: null, fromSeconds: null }
const ENTRY = { id: 'a', timestamp: '2026-01-02T03:04:05.000Z' }

const realFetch = globalThis.fetch
afterEach(() => {
  globalThis.fetch = realFetch
})

function answerWith(pages: (page: number) => Response) {
  let page = 0
  const fetchMock = jest.fn<typeof fetch>(async () => pages(page++))
  globalThis.fetch = fetchMock
  return fetchMock
}

test.each([null, 'x', {}, { data: null }])('the answer %j is not accepted as a page', async answer => {
  answerWith(() => Response.json(answer))
  await expect(fetchRecentQueries(CREDIT_ID, EVERYTHING)).rejects.toMatchObject({ code: 'unknown' })
})

test('the URL of a page has the filter and no credential', () => {
  const path = queriesPath(
    { modelId: 'a/b&c', keyId: 'k', fromSeconds: 5 },
    { limit: 25, cursor: 'x y', format: 'csv' },
  )
  expect(path).toBe('/queries/history?limit=25&cursor=x+y&format=csv&model=a%2Fb%26c&api_key_id=k&from=5')
})

test('the recent calls stop after a limited number of pages, and report that there are more', async () => {
  const fetchMock = answerWith(() => Response.json({ data: [ENTRY], next_cursor: 'more' }))
  const recent = await fetchRecentQueries(CREDIT_ID, EVERYTHING)
  expect(recent).toMatchObject({ truncated: true, entries: { length: 4 } })
  expect(fetchMock).toHaveBeenCalledTimes(4)
})

test('the recent calls stop at the end of the history', async () => {
  answerWith(page => Response.json({ data: [ENTRY], next_cursor: page === 0 ? 'more' : null }))
  expect(await fetchRecentQueries(CREDIT_ID, EVERYTHING)).toMatchObject({
    truncated: false,
    entries: { length: 2 },
  })
})

test('pages of CSV are joined under one header', async () => {
  const fetchMock = answerWith(
    page =>
      new Response(`a,b\r\n${page},1\r\n`, { headers: page < 2 ? { 'x-next-cursor': `c${page}` } : {} }),
  )
  expect(await fetchQueriesCsv(CREDIT_ID, EVERYTHING)).toBe('a,b\r\n0,1\r\n1,1\r\n2,1\r\n')
  expect(String(fetchMock.mock.calls[2]?.[0])).toContain('cursor=c1')
  expect(fetchMock.mock.calls.some(([address]) => String(address).includes(CREDIT_ID))).toBe(false)
})

test('a CSV file has every row that a spreadsheet can show', async () => {
  const fetchMock = answerWith(
    page => new Response('a,b\r\n', { headers: page < 2000 ? { 'x-next-cursor': 'more' } : {} }),
  )
  await fetchQueriesCsv(CREDIT_ID, EVERYTHING)
  expect(fetchMock).toHaveBeenCalledTimes(2001)
})
