import 'server-only'
import { z } from 'zod'
import { ApiError } from '@/lib/http/api-error'
import { cachedJson, jsonText } from '@/lib/http/cached-json'
import { siteAddress } from '@/lib/i18n/site-address'
import type { Balance } from '@/lib/ledger/domain/accounts'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import { receiptKeySchema, receiptSchema } from '@/lib/ledger/domain/receipts'
import type { UsagePage, UsageRecord } from '@/lib/ledger/domain/usage'
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
      summary: 'List every call with its cost, including failed calls',
      description:
        'Newest first. An API key sees only the calls made with it; the credit_id sees all of them. Calls older than two years may be summed by month and no longer be listed: the last page then has `summed_before`.',
      caller: 'account',
      query: usageQuery,
      answer: queryPageSchema,
      answersByType: { 'text/csv': z.string() },
      answerHeaders: { 'x-next-cursor': 'With `format=csv`: the cursor of the next page.' },
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
      description: 'Available once the call is over. An API key sees only its own calls.',
      caller: 'account',
      params: { id: z.string().describe('The `x-exchange-id` of the answer.') },
      answer: querySchema,
    },
    async ({ services: { ledger }, caller: { accountId, keyId }, params }) => {
      return usageToBody(requireOwnCall(await ledger.getUsage({ accountId, holdId: params.id }), keyId))
    },
  ),
  route(
    {
      method: 'GET',
      path: '/queries/{id}/receipt',
      summary: 'Get a signed receipt of one call',
      description:
        'Available once the call is over, for at least two years. A compact JWS (EdDSA) over a `Receipt`. Anybody can check its signature with the keys at `GET /.well-known/jwks.json`; nothing in it says who made the call. An API key gets only receipts of its own calls.',
      caller: 'account',
      params: { id: z.string().describe('The `x-exchange-id` of the answer.') },
      answersByType: {
        'application/jose': z.string().meta({
          description: 'Header, `Receipt` and signature in base64url, separated by dots.',
          contentSchema: z.toJSONSchema(receiptSchema, { io: 'output' }),
        }),
      },
    },
    async ({ services: { ledger, settings }, caller: { accountId, keyId }, params }) => {
      const iss = siteAddress(settings)
      const receipt = await ledger.signReceipt({ accountId, keyId, holdId: params.id, iss })
      if (!receipt) throw noSuchCall()
      return new Response(receipt.jws, { headers: { ...NO_STORE, 'content-type': 'application/jose' } })
    },
  ),
  route(
    {
      method: 'GET',
      path: '/.well-known/jwks.json',
      summary: 'Get the keys that receipts are signed with',
      description: 'All keys that have ever signed a receipt, newest first, as a JSON Web Key Set.',
      caller: 'published',
      answer: z.object({ keys: z.array(receiptKeySchema) }),
    },
    async ({ request, services: { ledger } }) =>
      cachedJson(jsonText({ keys: await ledger.listReceiptKeys() }), request),
  ),
]

/**
 * An API key sees only its own calls, the credit_id all of the account's.
 * @throws ApiError not_found, the same for an unknown call, somebody else's, and another key's
 */
export function requireOwnCall(record: UsageRecord | null, keyId: string | null): UsageRecord {
  if (record && (keyId === null || record.keyId === keyId)) return record
  throw noSuchCall()
}

function noSuchCall(): ApiError {
  return new ApiError(
    'not_found',
    'This account has no such call, or the call is still running, or it is so old that only the total of its month is kept.',
  )
}

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

function pageToBody({ records, nextCursor, summedBefore }: UsagePage): QueryPage {
  const page = { data: records.map(usageToBody), next_cursor: nextCursor }
  return summedBefore ? { ...page, summed_before: summedBefore.toISOString() } : page
}
