import 'server-only'
import { z } from 'zod'
import { ApiError } from '@/lib/http/api-error'
import type { Balance } from '@/lib/ledger/domain/accounts'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import type { UsagePage } from '@/lib/ledger/domain/usage'
import {
  type QueryPage,
  queryPageSchema,
  querySchema,
  usageQuery,
  usageToBody,
  usageToCsv,
} from './contracts/queries'
import { NO_STORE, route } from './route'

export const queryRoutes = [
  route(
    {
      method: 'GET',
      path: '/queries/history',
      summary: 'List every call with what it cost, failed ones at nothing included',
      description: 'Newest first. An API key sees the calls made with it; the credit_id sees them all.',
      caller: 'account',
      query: usageQuery,
      answer: queryPageSchema,
      answersToo: { 'text/csv': z.string() },
      answerHeaders: { 'x-next-cursor': 'With `format=csv`: where the next page begins.' },
    },
    async ({ services: { ledger }, caller: { accountId, keyId }, query }) => {
      const page = await findUsage(ledger, { accountId, keyId }, query)
      if (query.format === 'json') return pageToBody(page)
      return new Response(usageToCsv(page.records), {
        headers: {
          ...NO_STORE,
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': 'attachment; filename="usage.csv"',
          ...(page.nextCursor ? { 'x-next-cursor': page.nextCursor } : {}),
        },
      })
    },
  ),
  route(
    {
      method: 'GET',
      path: '/queries/{id}',
      summary: 'Get one call, with what it cost',
      description: 'Once it is over. An API key sees its own calls alone.',
      caller: 'account',
      params: { id: z.string().describe('From `x-exchange-id` of the answer.') },
      answer: querySchema,
    },
    async ({ services: { ledger }, caller: { accountId, keyId }, params }) => {
      const record = await ledger.getUsage({ accountId, holdId: params.id })
      // The same for an unknown one, somebody else's and another key's.
      if (record && (keyId === null || record.keyId === keyId)) return usageToBody(record)
      throw new ApiError('not_found', 'This account has no such call, or it is still running.')
    },
  ),
]

type UsageQuery = Omit<z.output<typeof usageQuery>, 'format'>
type Asker = Pick<Balance, 'accountId' | 'keyId'>

/** A page of the calls that this credential may see. */
export async function listUsage(ledger: Ledger, asker: Asker, query: UsageQuery): Promise<QueryPage> {
  return pageToBody(await findUsage(ledger, asker, query))
}

function findUsage(ledger: Ledger, { accountId, keyId }: Asker, query: UsageQuery): Promise<UsagePage> {
  return ledger.listUsage({
    accountId,
    limit: query.limit,
    cursor: query.cursor ?? null,
    from: query.from ?? null,
    to: query.to ?? null,
    modelId: query.model ?? null,
    keyId: keyId ?? query.api_key_id ?? null,
  })
}

function pageToBody({ records, nextCursor }: UsagePage): QueryPage {
  return { data: records.map(usageToBody), next_cursor: nextCursor }
}
