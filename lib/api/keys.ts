import 'server-only'
import { z } from 'zod'
import { ApiError } from '@/lib/http/api-error'
import { newApiKey } from '@/lib/http/new-api-key'
import { unknownCredential } from '@/lib/http/require-account'
import type { ApiKey } from '@/lib/ledger/domain/keys'
import { LedgerError } from '@/lib/ledger/domain/ledger-error'
import {
  bodyToRouting,
  createKeyBody,
  type Key,
  keySchema,
  keyToBody,
  newKeySchema,
  updateKeyBody,
} from './contracts/keys'
import { route } from './route'

const id = { id: z.string().describe('The id of the key, never its secret.') }

export const keyRoutes = [
  route(
    {
      method: 'GET',
      path: '/keys',
      summary: 'List the API keys',
      caller: 'credit_id',
      answer: z.object({ data: z.array(keySchema) }),
    },
    async ({ services: { ledger }, caller: { accountId } }) => ({
      data: (await ledger.listKeys({ accountId })).map(keyToBody),
    }),
  ),
  route(
    {
      method: 'POST',
      path: '/keys',
      summary: 'Create an API key; its secret is shown only in this answer',
      caller: 'credit_id',
      body: createKeyBody,
      limit: 'key_creation',
      status: 201,
      answer: newKeySchema,
    },
    async ({ services: { ledger }, caller: { accountId }, body }) => {
      const { secret, secretHash, hint } = newApiKey()
      const created = ledger.createKey({
        accountId,
        secretHash,
        hint,
        label: body.label,
        usageLimitNano: body.usage_limit_usd,
        resetPeriod: body.reset_period,
        routing: bodyToRouting(body.routing),
        expiresAt: body.expire_at,
      })
      const key = await created.catch(refuseClosed)
      return { ...keyToBody(key), key: secret, api_key: secret }
    },
  ),
  route(
    {
      method: 'GET',
      path: '/keys/{id}',
      summary: 'Get an API key',
      caller: 'credit_id',
      params: id,
      answer: keySchema,
    },
    async ({ services: { ledger }, caller: { accountId }, params }) =>
      known(await ledger.getKey({ accountId, keyId: params.id })),
  ),
  route(
    {
      method: 'PATCH',
      path: '/keys/{id}',
      summary: 'Change label, limit, period, routing or expiry',
      caller: 'credit_id',
      params: id,
      body: updateKeyBody,
      limit: 'key_change',
      answer: keySchema,
    },
    async ({ services: { ledger }, caller: { accountId }, params, body }) =>
      known(
        await ledger.updateKey({
          accountId,
          keyId: params.id,
          label: body.label,
          usageLimitNano: body.usage_limit_usd,
          resetPeriod: body.reset_period,
          routing: body.routing === undefined ? undefined : bodyToRouting(body.routing),
          expiresAt: body.expire_at,
        }),
      ),
  ),
  route(
    {
      method: 'DELETE',
      path: '/keys/{id}',
      summary: 'Revoke an API key',
      description: 'The key stops working at once, and stays in the list with its usage.',
      caller: 'credit_id',
      params: id,
      answer: keySchema,
    },
    async ({ services: { ledger }, caller: { accountId }, params }) =>
      known(await ledger.revokeKey({ accountId, keyId: params.id })),
  ),
]

/** The credit may have been closed after its caller was identified. */
function refuseClosed(error: unknown): never {
  throw error instanceof LedgerError && error.code === 'unknown_account' ? unknownCredential() : error
}

/** Another account's key and an unknown one get the same answer. */
function known(key: ApiKey | null): Key {
  if (key) return keyToBody(key)
  throw new ApiError('not_found', 'This account has no such key.')
}
