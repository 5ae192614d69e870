import 'server-only'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { readIdempotencyKey } from '@/lib/exchange/engine/request-headers'
import { ApiError, invalidField } from '@/lib/http/api-error'
import { hashSecret, parseCredential, requireCredential } from '@/lib/http/credential'
import { UTM_LENGTH_MAX, type UtmParameter } from '@/lib/http/domain/utm'
import { newApiKey } from '@/lib/http/new-api-key'
import { requireKnown, requireManagedAccount } from '@/lib/http/require-account'
import type { Credential } from '@/lib/ledger/domain/accounts'
import type { MergeResult } from '@/lib/ledger/domain/credits'
import { nanoToUsdNumber } from '@/lib/money/nano'
import { accountSchema, balanceSchema, mergedSchema } from './contracts/accounts'
import { idempotencyKeyHeader, storableText } from './contracts/values'
import { route } from './route'
import { type PresentedToken, readPair, verifyPaymentToken } from './tokens'

/** Longer than any credential; checked before it is parsed. */
const CREDENTIAL_LENGTH_MAX = 200

const utm = storableText.max(UTM_LENGTH_MAX).optional()

const newAccountBody = z.strictObject({
  attribution: z
    .object({
      utm_source: utm,
      utm_medium: utm,
      utm_campaign: utm,
      utm_term: utm,
      utm_content: utm,
    } satisfies Record<UtmParameter, typeof utm>)
    .nullish()
    .describe('The campaign that brought the visitor here.'),
  with_api_key: z
    .boolean()
    .default(true)
    .describe('`false`: create no API key now. One can be created at any time.'),
})

interface MergeSource {
  param: 'from_credit_id' | 'from_api_key' | 'from_token'
  from: Credential | PresentedToken
  closes: boolean
}

/** A credit_id or an API key; only its hash goes any further. */
const mergeBody = z
  .strictObject({
    from_credit_id: secretOf('credit_id', 'expected a credit_id').optional(),
    from_api_key: secretOf('api_key', 'expected an API key')
      .optional()
      .describe(
        'An API key of an earlier version that holds a balance of its own. Any other key only spends, and is refused.',
      ),
    from_token: z
      .string()
      .transform((text, context): PresentedToken => {
        const shown = readPair(text)
        if (shown) return shown
        context.addIssue({ code: 'custom', message: 'expected <token>:<preimage>' })
        return z.NEVER
      })
      .optional()
      .describe(
        '`<token>:<preimage>` of an L402 payment: moves what is left of a payment that was made without an account.',
      ),
    close: z
      .boolean()
      .default(false)
      .describe(
        'With `from_credit_id`, because it leaked: that credit ends, with its API keys and its refill link, and whatever is still paid into it arrives here. Until `closed` is true, a further request, with another `Idempotency-Key`, moves what was held.',
      ),
  })
  .transform((body, context): MergeSource => {
    const given = (['from_credit_id', 'from_api_key', 'from_token'] as const).flatMap(param => {
      const from = body[param]
      return from ? [{ param, from }] : []
    })
    const refuse = (param: string, message: string) => {
      context.addIssue({ code: 'custom', path: [param], message })
      return z.NEVER
    }
    if (given.length !== 1 || !given[0])
      return refuse('from_credit_id', 'expected exactly one of from_credit_id, from_api_key and from_token')
    if (body.close && given[0].param !== 'from_credit_id')
      return refuse('close', 'expected from_credit_id with it')
    return { ...given[0], closes: body.close }
  })

function secretOf(kind: Credential['kind'], message: string) {
  return z.string().transform((text, context): Credential => {
    const credential = parseCredential(text)
    if (credential?.kind === kind) return credential
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
}

export const accountRoutes = [
  route(
    {
      method: 'POST',
      path: '/accounts/create',
      summary: 'Create an account with its first API key',
      description: 'No login. Whoever holds the credit_id holds the balance: keep it safe.',
      caller: 'public',
      body: newAccountBody,
      limit: 'account_creation',
      answer: accountSchema,
    },
    async ({ services: { ledger }, body: { attribution, with_api_key: withKey } }) => {
      const creditId = randomUUID()
      const key = withKey ? newApiKey() : null
      await ledger.createAccount({
        creditIdHash: hashSecret(creditId),
        firstKey: key && { secretHash: key.secretHash, hint: key.hint },
        attribution: attribution ? definedOnly(attribution) : null,
      })
      return { success: true as const, credit_id: creditId, ...(key && { api_key: key.secret }), balance: 0 }
    },
  ),
  route(
    {
      method: 'POST',
      path: '/accounts/merge',
      summary: 'Move the balance of another credit into this one',
      description:
        'Moves what the other credit has available. What is held for answers that are still being written stays there, and what others pay in by its refill link from then on arrives there: revoke the link first. Whoever knows both credit_ids owns both credits.',
      caller: 'presented_credit_id',
      headers: z.object({
        'Idempotency-Key': idempotencyKeyHeader.describe(
          'Makes a retry safe: the same key gets the same answer, and nothing is moved twice.',
        ),
      }),
      body: mergeBody,
      answer: mergedSchema,
    },
    async ({ request, services, caller: into, body: { param, from, closes } }) => {
      const { headers } = request
      const { ledger, rateLimits } = services
      const idempotencyKey = readIdempotencyKey(headers)
      await rateLimits.take('balance_look_up', headers)
      await requireManagedAccount(request, ledger)
      const result = await ledger.merge({
        from: 'token' in from ? (await verifyPaymentToken(services, from)).credential : from,
        into,
        // Hashed, so that a caller's key has the form of a reference. Without a key, every call is a new one.
        reference: idempotencyKey === null ? randomUUID() : hashSecret(idempotencyKey),
        closes,
      })
      if (result.outcome === 'merged' || result.outcome === 'already_merged') {
        const { movedNano, balanceNano, isClosed } = result
        const balance = nanoToUsdNumber(balanceNano)
        return {
          moved_usd: nanoToUsdNumber(movedNano),
          balance,
          ...(closes && { closed: isClosed === true }),
        }
      }
      throw mergeRefusal(result.outcome, param)
    },
  ),
  route(
    {
      method: 'POST',
      path: '/credits/balance',
      summary: 'Get the balance in US dollars',
      caller: 'optional',
      body: z.strictObject({
        credit_id: z
          .string()
          .max(CREDENTIAL_LENGTH_MAX)
          .optional()
          .describe('Instead of a credential in a header.'),
      }),
      answer: balanceSchema,
    },
    async ({ request: { headers }, services: { ledger, rateLimits }, body: { credit_id: creditId } }) => {
      const credential = creditId === undefined ? requireCredential(headers) : requireCreditIdText(creditId)
      await rateLimits.take('balance_look_up', headers)
      const { balanceNano, debtNano } = requireKnown(await ledger.getBalance({ credential }))
      return {
        balance: nanoToUsdNumber(balanceNano),
        ...(debtNano > 0n && { debt_usd: nanoToUsdNumber(debtNano) }),
      }
    },
  ),
]

function definedOnly(record: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

function requireCreditIdText(text: string): Credential {
  const credential = parseCredential(text)
  if (credential?.kind === 'credit_id') return credential
  throw invalidField('credit_id', 'expected a UUID')
}

type RefusedMerge = Exclude<MergeResult['outcome'], 'merged' | 'already_merged'>

function mergeRefusal(outcome: RefusedMerge, param: MergeSource['param']): ApiError {
  switch (outcome) {
    case 'unknown_credential': {
      const sentence =
        'The credential to take the balance from is unknown. Check that it was copied completely.'
      return new ApiError('not_found', sentence, { param, isGuess: true })
    }
    case 'same_account': {
      const sentence = 'Both credentials belong to the same credit, so there is nothing to move.'
      return new ApiError('conflict', sentence, { param })
    }
    case 'key_only_spends': {
      const sentence =
        'This API key only spends from a credit. Send the credit_id of that credit to move its balance.'
      return new ApiError('forbidden', sentence, { param })
    }
  }
}
