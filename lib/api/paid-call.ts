import 'server-only'
import { z } from 'zod'
import type { Services } from '@/lib/composition'
import { EXCHANGE_LIMITS } from '@/lib/exchange/domain/exchange-limits'
import type { Kind } from '@/lib/exchange/engine/kind'
import type { ExchangeReply } from '@/lib/exchange/engine/reply'
import {
  EVENT_NUMBER_PATTERN,
  querySourceOf,
  RESUME_KEY_PATTERN,
  readExchangeName,
  readIdempotencyKey,
  readLastEventId,
  readMaxChargeNano,
  readResumeKey,
} from '@/lib/exchange/engine/request-headers'
import type { Kinds } from '@/lib/exchange/kinds/kinds'
import { type AdmittedBody, admitBody } from '@/lib/http/admit-body'
import { DirectResponse } from '@/lib/http/direct-response'
import type { Credential } from '@/lib/ledger/domain/accounts'
import { challengeHolder, challengeStranger } from './challenges'
import { errorSchema } from './contracts/error'
import { stoppedSchema, stoppedToBody } from './contracts/paid-calls'
import { idempotencyKeyHeader } from './contracts/values'
import { paymentReceipt } from './payment-scheme'
import { type Route, type RouteContract, route } from './route'
import { type VerifiedToken, verifiedToken } from './tokens'

/** Made once: a schema takes as long to make as this one takes to parse a short request. */
const anything = z.unknown()
const resumeKeySchema = z.string().regex(RESUME_KEY_PATTERN)

const exchangeHeaders = {
  'x-exchange-id':
    'The id of this call: for getting the rest of its answer, stopping it, and GET /queries/{id}.',
}

/**
 * The three routes of a kind of paid call: POST to its path makes the call; GET and DELETE below it, by name, fetch the
 * rest of the answer and stop it. Everything but the contract is the engine's.
 */
export function paidCall<Path extends string>(
  kindName: keyof Kinds,
  contract: Pick<
    RouteContract<Path>,
    'path' | 'summary' | 'bodiesByType' | 'answer' | 'answersByType' | 'error' | 'errorBody'
  > & {
    description: string
    /** The status of its answer may be sent before it is known whether the call fails; the JSON is then an error. */
    mayFailLate?: boolean
  },
): Route[] {
  const { mayFailLate = false, ...common } = contract
  const { path, answer, answersByType, error, errorBody } = common
  const byName = { path: `${path}/{id}`, caller: 'presented', error, errorBody } as const
  const id = {
    id: z
      .string()
      .describe(
        'The `x-exchange-id` of the call; or `resume-` and the SHA-256 of the resume key in hex. If a single process serves the site, the `id` in a running answer works too.',
      ),
  }
  return [
    route(
      {
        ...common,
        ...(mayFailLate && answer && withLateError(common, answer)),
        method: 'POST',
        caller: 'payer',
        headers: z.object({
          'Idempotency-Key': idempotencyKeyHeader.describe(
            'Makes a retry safe: for ten minutes the same key replays the first answer, and the call is charged once. If the client left a stream early, what had arrived by then is replayed, followed by an error; speech, which is charged whole, is replayed whole. The same key with another body is refused.',
          ),
          'X-Max-Charge-USD': z
            .string()
            .optional()
            .describe(
              'The most that the call may cost, such as `0.021`. No more is held or charged; the length of the answer is limited to what that affords. If the call cannot be made for that, it is refused with 402 `price_above_limit`.',
            ),
          'X-Resume-Key': resumeKeySchema
            .optional()
            .describe(
              '32 random bytes in base64url. The rest of an interrupted answer can be fetched only if this was sent with the call.',
            ),
        }),
        answerHeaders: {
          ...exchangeHeaders,
          'x-ignored-fields':
            'Fields of the body that were ignored, and betas that were ignored as `anthropic-beta.<name>`.',
          'x-cost-usd': 'USD charged, for answers whose body cannot contain it.',
          'x-litellm-response-cost': 'USD charged for a whole answer, where LiteLLM reads it.',
          'payment-receipt': 'Sent with a call that was paid for with the Payment scheme.',
        },
        answersByStatus: error
          ? undefined
          : {
              402: errorSchema.describe(
                'insufficient_credit; or payment_required, without a credential, with challenges in `WWW-Authenticate` that a Lightning wallet can pay.',
              ),
            },
      },
      async ({ request, services, caller: credential }) => {
        const kind = services.kinds[kindName]
        return credential
          ? makeCall(request, services, { kind, credential })
          : challengeStranger(request, services, kind)
      },
    ),
    route(
      {
        ...byName,
        method: 'GET',
        summary: 'Get the rest of an interrupted answer',
        description: 'Possible while the call runs, and for ten minutes after.',
        params: id,
        headers: z.object({
          'X-Resume-Key': resumeKeySchema.describe('The resume key that the call was made with.'),
          'Last-Event-ID': z
            .string()
            .regex(EVENT_NUMBER_PATTERN)
            .optional()
            .describe('Only events after this one are returned.'),
        }),
        answer,
        answersByType,
        answerHeaders: exchangeHeaders,
      },
      async ({ request: { headers, signal }, services: { exchanges }, caller: credential, params }) =>
        replyResponse(
          await exchanges.resume({
            credential,
            name: readExchangeName(params.id),
            resumeKey: readResumeKey(headers),
            lastEventId: readLastEventId(headers),
            signal,
          }),
        ),
    ),
    route(
      {
        ...byName,
        method: 'DELETE',
        summary: 'Stop a call and pay for what was delivered',
        params: id,
        answer: stoppedSchema,
      },
      async ({ services: { exchanges }, caller: credential, params }) =>
        stoppedToBody(await exchanges.stop({ credential, name: readExchangeName(params.id) })),
    ),
  ]
}

function withLateError(
  { description, error = errorSchema }: { description: string; error?: z.ZodType },
  answer: z.ZodType,
) {
  const seconds = EXCHANGE_LIMITS.jsonSilenceMsMax / 1_000
  const late = `Without a stream, white space is sent after ${seconds} seconds, with status 200, until the JSON is there.`
  return { description: `${description} ${late} It may then be an error.`, answer: z.union([answer, error]) }
}

/**
 * Admits the body of a call and has the engine answer it. The body's memory is free again once it has been sent on or
 * refused.
 */
async function makeCall(
  request: Request,
  services: Services,
  { kind, credential }: { kind: Kind; credential: Credential },
): Promise<Response> {
  const { headers } = request
  const { exchanges, ledger, rateLimits, bodiesInFlight: inFlight } = services
  const holder = verifiedToken(headers)
  const idempotencyKey = holder?.isPaymentScheme ? challengeKey(holder) : readIdempotencyKey(headers)
  const resumeKey = readResumeKey(headers)
  const lookUp = () => ledger.getBalance({ credential })
  const paidByteCount = async () =>
    idempotencyKey === null ? 0 : exchanges.firstBodyByteCount(kind, { credential, idempotencyKey })
  let body: AdmittedBody | undefined
  let requestSent: Promise<void> | undefined
  try {
    body = await admitBody(request, { ...kind.body, lookUp, paidByteCount, inFlight })
    const { bytes, json } = body
    const reply = await exchanges.begin(kind, {
      credential,
      body: bytes,
      json: () => json(anything),
      contentType: headers.get('content-type'),
      betas: headers.get('anthropic-beta'),
      idempotencyKey,
      maxChargeNano: readMaxChargeNano(headers),
      resumeKey,
      // Only this site's own pages send a resume key.
      querySource: resumeKey === null ? querySourceOf(headers) : 'web',
      takeFree: accountId => rateLimits.take('free_answer', headers, accountId),
      signal: request.signal,
    })
    requestSent = reply.requestSent
    return replyResponse(holder?.isPaymentScheme ? withReceipt(reply, holder) : reply)
  } catch (error) {
    if (!holder) throw error
    throw await challengeHolder(request, services, { error, holder, kind, body: body?.bytes ?? null })
  } finally {
    // Not the body itself: it would be kept in memory until then.
    const { release = () => {} } = body ?? {}
    if (requestSent) void requestSent.then(release)
    else release()
  }
}

/** A Payment challenge can be answered once; the same credential again replays the same answer. */
function challengeKey({ invoiceId, tokenId }: VerifiedToken): string {
  return `payment ${invoiceId} ${tokenId.toString('base64url')}`
}

function withReceipt(reply: ExchangeReply, { invoice }: VerifiedToken): ExchangeReply {
  if (reply.status !== 200) return reply
  return { ...reply, headers: { ...reply.headers, 'payment-receipt': paymentReceipt(invoice) } }
}

function replyResponse({ status, headers, body }: ExchangeReply): Response {
  return new DirectResponse(body, { status, headers })
}
