import 'server-only'
import { z } from 'zod'
import type { ExchangeReply } from '@/lib/exchange/engine/reply'
import {
  querySourceOf,
  readExchangeName,
  readIdempotencyKey,
  readLastEventId,
  readMostNano,
  readResumeKey,
} from '@/lib/exchange/engine/request-headers'
import { chatRequestSchema } from '@/lib/exchange/kinds/chat/contract'
import { completionRequestSchema } from '@/lib/exchange/kinds/dialects/completions/contract'
import {
  messagesRequestSchema,
  tokenCountRequestSchema,
} from '@/lib/exchange/kinds/dialects/messages/contract'
import { messagesErrorBody, messagesErrorSchema } from '@/lib/exchange/kinds/dialects/messages/error'
import { countQuestionTokens } from '@/lib/exchange/kinds/dialects/messages/messages'
import { responsesRequestSchema } from '@/lib/exchange/kinds/dialects/responses/contract'
import { embeddingRequestSchema } from '@/lib/exchange/kinds/embeddings/contract'
import { imageRequestSchema } from '@/lib/exchange/kinds/images/contract'
import { imageEditFieldsSchema } from '@/lib/exchange/kinds/images/edit'
import type { Kinds } from '@/lib/exchange/kinds/kinds'
import { speechRequestSchema } from '@/lib/exchange/kinds/speech/contract'
import { transcriptionFieldsSchema } from '@/lib/exchange/kinds/transcription/contract'
import { admitBody } from '@/lib/http/admit-body'
import { DirectResponse } from '@/lib/http/direct-response'
import type { Credential } from '@/lib/ledger/domain/accounts'
import { challengeHolder, challengeStranger } from './challenges'
import { errorSchema } from './contracts/error'
import {
  chatAnswerSchema,
  completionAnswerSchema,
  embeddingAnswerSchema,
  imageAnswerSchema,
  messagesAnswerSchema,
  responsesAnswerSchema,
  stoppedSchema,
  tokenCountSchema,
  transcriptSchema,
} from './contracts/paid-calls'
import { idempotencyKeyHeader } from './contracts/values'
import { paymentReceipt } from './payment-scheme'
import { type Route, type RouteContract, route } from './route'
import { type ProvedToken, provedToken } from './tokens'

const eventStream = { 'text/event-stream': z.string() }
const sound = z.string().meta({ format: 'binary' })
const resumeKey = z.string().describe('32 random bytes in base64url.')

const exchangeHeaders = {
  'x-exchange-id': 'The id of this call: for the rest of its answer, to stop it, and for GET /queries/{id}.',
}

/**
 * A paid call is asked for at its kind's path, and the rest of its answer, or its end, under its name there.
 * All but the contract is the engine's.
 */
function paidCall<Path extends string>(
  kindName: keyof Kinds,
  contract: Pick<
    RouteContract<Path>,
    'path' | 'summary' | 'admits' | 'answer' | 'answersToo' | 'error' | 'errorBody'
  > & {
    description: string
  },
): Route[] {
  const { path, answer, answersToo, error, errorBody } = contract
  const byName = { path: `${path}/{id}`, caller: 'shown', error, errorBody } as const
  const id = {
    id: z.string().describe('From `x-exchange-id`; or `resume-` and the SHA-256 of the resume key, in hex.'),
  }
  return [
    route(
      {
        ...contract,
        method: 'POST',
        caller: 'payer',
        headers: z.object({
          'Idempotency-Key': idempotencyKeyHeader.describe(
            'Makes a retry safe: the same key replays the first answer for ten minutes and charges once; with another body it is refused.',
          ),
          'X-Max-Charge-USD': z
            .string()
            .optional()
            .describe(
              'The most that the call may cost, such as `0.021`: no more is held or charged, and the answer is made as long as that allows. 402 `price_above_limit` where it cannot be made for that.',
            ),
          'X-Resume-Key': resumeKey.optional().describe('With it, and only then, the rest can be asked for.'),
        }),
        answerHeaders: {
          ...exchangeHeaders,
          'x-ignored-fields': 'The fields of the body that were left out.',
          'x-cost-usd': 'For a body with no room for it: what is charged.',
          'payment-receipt': 'Of a call that was paid for in the Payment scheme.',
        },
        otherAnswers: error
          ? undefined
          : {
              402: errorSchema.describe(
                'insufficient_credit; or payment_required, without a credential, with challenges in `WWW-Authenticate` that a Lightning wallet can pay.',
              ),
            },
      },
      async ({ request, services, caller: credential }) => {
        const { headers } = request
        const { exchanges, kinds, ledger, rateLimits, bodiesInFlight: inFlight } = services
        const kind = kinds[kindName]
        if (!credential) return challengeStranger(request, services, kind)
        const holder = provedToken(headers)
        const idempotencyKey = holder?.isPaymentScheme ? challengeKey(holder) : readIdempotencyKey(headers)
        const resumeKey = readResumeKey(headers)
        const lookUp = () => ledger.getBalance({ credential })
        let body: Awaited<ReturnType<typeof admitBody>> | undefined
        try {
          body = await admitBody(request, { ...kind.body, lookUp, inFlight })
          const { bytes, json } = body
          const reply = await exchanges.begin(kind, {
            credential,
            body: bytes,
            json: () => json(z.unknown()),
            contentType: headers.get('content-type'),
            idempotencyKey,
            mostNano: readMostNano(headers),
            resumeKey,
            // Only this site's own pages make a resume key.
            querySource: resumeKey === null ? querySourceOf(headers) : 'web',
            takeFree: accountId => rateLimits.take('free_answer', headers, accountId),
            signal: request.signal,
          })
          return replyResponse(holder?.isPaymentScheme ? withReceipt(reply, holder) : reply)
        } catch (error) {
          if (!holder) throw error
          throw await challengeHolder(request, services, { error, holder, kind, body: body?.bytes ?? null })
        } finally {
          body?.release()
        }
      },
    ),
    route(
      {
        ...byName,
        method: 'GET',
        summary: 'Get the rest of an interrupted answer',
        description: 'While it runs, and for ten minutes after.',
        params: id,
        headers: z.object({
          'X-Resume-Key': resumeKey.describe('The one that the call was made with.'),
          'Last-Event-ID': z.string().optional().describe('Only what came after this event.'),
        }),
        answer,
        answersToo,
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
        exchanges.stop({ credential, name: readExchangeName(params.id) }),
    ),
  ]
}

/** A challenge of the Payment scheme is answered once: whoever answers it again hears the same. */
function challengeKey({ invoiceId, tokenId }: ProvedToken): string {
  return `payment ${invoiceId} ${tokenId.toString('base64url')}`
}

function withReceipt(reply: ExchangeReply, { invoice }: ProvedToken): ExchangeReply {
  if (reply.status !== 200) return reply
  return { ...reply, headers: { ...reply.headers, 'payment-receipt': paymentReceipt(invoice) } }
}

function replyResponse({ status, headers, body }: ExchangeReply): Response {
  return new DirectResponse(body, { status, headers })
}

const messagesError = { error: messagesErrorSchema, errorBody: messagesErrorBody }

/** OpenAI's shapes, and Anthropic's; `/chat/completions`, `/images/…` and `/audio/…` answer without `/v1` as well. */
export const paidCallRoutes = [
  ...paidCall('chat', {
    path: '/v1/chat/completions',
    summary: 'Answer a conversation, streamed or at once',
    description:
      'What OpenAI documents; fields that are not listed are left out, and named in `x-ignored-fields`. `max_tokens` is lowered to what the balance affords. The last chunk, or the answer, tells `usage.cost` (USD charged) and `usage.balance_usd`.',
    admits: { 'application/json': chatRequestSchema.meta({ id: 'ChatRequest' }) },
    answer: chatAnswerSchema,
    answersToo: eventStream,
  }),
  ...paidCall('responses', {
    path: '/v1/responses',
    summary: 'The same in the dialect of OpenAI’s Responses',
    description:
      'What OpenAI documents, without what a host would keep: `store`, `previous_response_id`, `conversation` and `background` are refused, so that `input` is the whole conversation. Fields that are not listed are left out, and named in `x-ignored-fields`, as are tools for searching and drawing at the host. The last event, or the answer, tells `usage.cost` (USD charged) and `usage.balance_usd`. The same body sent to `/v1/chat/completions` is answered as a chat.',
    admits: { 'application/json': responsesRequestSchema.meta({ id: 'ResponsesRequest' }) },
    answer: responsesAnswerSchema,
    answersToo: eventStream,
  }),
  ...paidCall('messages', {
    path: '/v1/messages',
    summary: 'The same in Anthropic’s dialect',
    description:
      'What Anthropic documents for Messages, `x-api-key` and `?beta=true` included; names such as `claude-sonnet-4-5-20250929` find the model of this site’s list. Fields that are not listed are left out, and named in `x-ignored-fields`; tools that Anthropic runs itself are refused. The last `message_delta`, or the answer, tells `usage.cost` (USD charged) and `usage.balance_usd`.',
    admits: { 'application/json': messagesRequestSchema.meta({ id: 'MessagesRequest' }) },
    answer: messagesAnswerSchema,
    answersToo: eventStream,
    ...messagesError,
  }),
  route(
    {
      method: 'POST',
      path: '/v1/messages/count_tokens',
      summary: 'Count the tokens of a prompt in Anthropic’s dialect, at no cost',
      caller: 'account',
      admits: { 'application/json': tokenCountRequestSchema.meta({ id: 'TokenCountRequest' }) },
      limit: 'token_count',
      answer: tokenCountSchema,
      ...messagesError,
    },
    async ({ request, services: { kinds, ledger, bodiesInFlight: inFlight } }) => {
      const lookUp = (credential: Credential) => ledger.getBalance({ credential })
      const body = await admitBody(request, { ...kinds.messages.body, lookUp, inFlight })
      try {
        return { input_tokens: await countQuestionTokens(await body.json(z.unknown())) }
      } finally {
        body.release()
      }
    },
  ),
  ...paidCall('completions', {
    path: '/v1/completions',
    summary: 'Complete a text, for tools that are older than chats',
    description:
      'What OpenAI documents, of any model that chats: the prompt is asked as a conversation of one message. Fields that are not listed are left out, and named in `x-ignored-fields`; one prompt at a time, `n` answers. The last chunk, or the answer, tells `usage.cost` (USD charged) and `usage.balance_usd`.',
    admits: { 'application/json': completionRequestSchema.meta({ id: 'CompletionRequest' }) },
    answer: completionAnswerSchema,
    answersToo: eventStream,
  }),
  ...paidCall('embeddings', {
    path: '/v1/embeddings',
    summary: 'Turn texts into vectors',
    description:
      'What OpenAI documents; fields that are not listed are left out, and named in `x-ignored-fields`. Paid by the tokens that are read: `usage.cost` (USD charged) and `usage.balance_usd` tell.',
    admits: { 'application/json': embeddingRequestSchema.meta({ id: 'EmbeddingRequest' }) },
    answer: embeddingAnswerSchema,
  }),
  ...paidCall('images', {
    path: '/v1/images/generations',
    summary: 'Draw pictures',
    description:
      'What OpenAI documents; fields that are not listed are left out, and named in `x-ignored-fields`. `n` is lowered to what the balance affords, and only pictures that came are charged: `usage.cost` (USD) and `usage.balance_usd` tell. Up to 20 MB for each picture and 64 MB together.',
    admits: { 'application/json': imageRequestSchema.meta({ id: 'ImageRequest' }) },
    answer: imageAnswerSchema,
  }),
  ...paidCall('imageEdits', {
    path: '/v1/images/edits',
    summary: 'Draw from pictures',
    description:
      'A form as OpenAI documents it, for models that take pictures: up to 16 in `image`, each PNG, JPEG or WebP of at most 20 MB, and 32 MB together. Priced as other pictures are, with those that were sent.',
    admits: {
      'multipart/form-data': imageEditFieldsSchema
        .extend({ image: z.union([sound, z.array(sound)]), mask: sound.optional() })
        .meta({ id: 'ImageEditRequest' }),
    },
    answer: imageAnswerSchema,
  }),
  ...paidCall('speech', {
    path: '/v1/audio/speech',
    summary: 'Read a text aloud',
    description: 'Streams the sound. `x-cost-usd` tells what the text costs.',
    admits: { 'application/json': speechRequestSchema.meta({ id: 'SpeechRequest' }) },
    answersToo: { 'audio/*': sound, ...eventStream },
  }),
  ...paidCall('transcription', {
    path: '/v1/audio/transcriptions',
    summary: 'Write down a recording',
    description: 'At most 25 MB; paid by the begun second. `usage.cost` tells what was charged.',
    admits: {
      'multipart/form-data': transcriptionFieldsSchema
        .extend({ file: sound })
        .meta({ id: 'TranscriptionRequest' }),
    },
    answer: transcriptSchema,
    answersToo: { 'text/plain': z.string() },
  }),
]
