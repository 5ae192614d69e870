import 'server-only'
import { z } from 'zod'
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
import { speechRequestSchema } from '@/lib/exchange/kinds/speech/contract'
import { transcriptionFieldsSchema } from '@/lib/exchange/kinds/transcription/contract'
import { admitBody } from '@/lib/http/admit-body'
import type { Credential } from '@/lib/ledger/domain/accounts'
import {
  chatAnswerSchema,
  completionAnswerSchema,
  embeddingAnswerSchema,
  imageAnswerSchema,
  messagesAnswerSchema,
  responsesAnswerSchema,
  tokenCountSchema,
  transcriptSchema,
} from './contracts/paid-calls'
import { paidCall } from './paid-call'
import { route } from './route'

const eventStream = { 'text/event-stream': z.string() }
const sound = z.string().meta({ format: 'binary' })

const messagesError = { error: messagesErrorSchema, errorBody: messagesErrorBody }

/** OpenAI's shapes, and Anthropic's; all answer without `/v1` as well. */
export const paidCallRoutes = [
  ...paidCall('chat', {
    path: '/v1/chat/completions',
    summary: 'Answer a conversation, streamed or at once',
    description:
      'What OpenAI documents; fields that are not listed are left out, and named in `x-ignored-fields`. `max_tokens` is lowered to what the balance affords. The last chunk, or the answer, tells `usage.cost` (USD charged) and `usage.balance_usd`; that chunk has an empty choice, or none where `stream_options.include_usage` asked for it.',
    bodiesByType: { 'application/json': chatRequestSchema.meta({ id: 'ChatRequest' }) },
    answer: chatAnswerSchema,
    answersByType: eventStream,
  }),
  ...paidCall('responses', {
    path: '/v1/responses',
    summary: 'The same in the dialect of OpenAI’s Responses',
    description:
      'What OpenAI documents, without what a host would keep: `store`, `previous_response_id`, `conversation` and `background` are refused, so that `input` is the whole conversation. Fields that are not listed are left out, and named in `x-ignored-fields`, as are tools for searching and drawing at the host. The last event, or the answer, tells `usage.cost` (USD charged) and `usage.balance_usd`. The same body sent to `/v1/chat/completions` is answered as a chat.',
    bodiesByType: { 'application/json': responsesRequestSchema.meta({ id: 'ResponsesRequest' }) },
    answer: responsesAnswerSchema,
    answersByType: eventStream,
  }),
  ...paidCall('messages', {
    path: '/v1/messages',
    summary: 'The same in Anthropic’s dialect',
    description:
      'What Anthropic documents for Messages, `x-api-key` and `?beta=true` included; names such as `claude-sonnet-4-5-20250929` find the model of this site’s list. Fields that are not listed are left out, and named in `x-ignored-fields`; tools that Anthropic runs itself are refused. Of `anthropic-beta` goes on what costs no more than is held for, where a host speaks Messages: `fine-grained-tool-streaming-2025-05-14`, `interleaved-thinking-2025-05-14` and `structured-outputs-2025-11-13`. The last `message_delta`, or the answer, tells `usage.cost` (USD charged) and `usage.balance_usd`.',
    bodiesByType: { 'application/json': messagesRequestSchema.meta({ id: 'MessagesRequest' }) },
    answer: messagesAnswerSchema,
    answersByType: eventStream,
    ...messagesError,
  }),
  route(
    {
      method: 'POST',
      path: '/v1/messages/count_tokens',
      summary: 'Estimate the tokens of a prompt in Anthropic’s dialect, at no cost',
      caller: 'account',
      bodiesByType: { 'application/json': tokenCountRequestSchema.meta({ id: 'TokenCountRequest' }) },
      limit: 'token_count',
      answer: tokenCountSchema,
      ...messagesError,
    },
    async ({ request, services: { kinds, ledger, bodiesInFlight: inFlight } }) => {
      const lookUp = (credential: Credential) => ledger.getBalance({ credential })
      const body = await admitBody(request, { ...kinds.messages.body, lookUp, inFlight })
      try {
        return { input_tokens: countQuestionTokens(await body.json(z.unknown())) }
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
    bodiesByType: { 'application/json': completionRequestSchema.meta({ id: 'CompletionRequest' }) },
    answer: completionAnswerSchema,
    answersByType: eventStream,
  }),
  ...paidCall('embeddings', {
    path: '/v1/embeddings',
    summary: 'Turn texts into vectors',
    description:
      'What OpenAI documents; fields that are not listed are left out, and named in `x-ignored-fields`. Paid by the tokens that are read: `usage.cost` (USD charged) and `usage.balance_usd` tell.',
    bodiesByType: { 'application/json': embeddingRequestSchema.meta({ id: 'EmbeddingRequest' }) },
    answer: embeddingAnswerSchema,
  }),
  ...paidCall('images', {
    path: '/v1/images/generations',
    summary: 'Draw pictures',
    description:
      'What OpenAI documents; fields that are not listed are left out, and named in `x-ignored-fields`. `n` is lowered to what the balance affords, and only pictures that came are charged: `usage.cost` (USD) and `usage.balance_usd` tell. An answer has up to 64 MB, in base64.',
    bodiesByType: { 'application/json': imageRequestSchema.meta({ id: 'ImageRequest' }) },
    answer: imageAnswerSchema,
  }),
  ...paidCall('imageEdits', {
    path: '/v1/images/edits',
    summary: 'Draw from pictures',
    description:
      'A form as OpenAI documents it, for models that take pictures: up to 16 in `image`, each PNG, JPEG or WebP of at most 20 MB, and 32 MB together. Priced as other pictures are, with those that were sent.',
    bodiesByType: {
      'multipart/form-data': imageEditFieldsSchema
        .extend({ image: z.union([sound, z.array(sound)]), mask: sound.optional() })
        .meta({ id: 'ImageEditRequest' }),
    },
    answer: imageAnswerSchema,
  }),
  ...paidCall('speech', {
    path: '/v1/audio/speech',
    summary: 'Read a text aloud',
    description:
      'Streams the sound. Paid by the characters of `input` and `instructions` together, or by their tokens where the model has no price per character; `x-cost-usd` tells what that costs. Models of ElevenLabs take no `instructions`, and nobody pays for them.',
    bodiesByType: { 'application/json': speechRequestSchema.meta({ id: 'SpeechRequest' }) },
    answersByType: { 'audio/*': sound, ...eventStream },
  }),
  ...paidCall('transcription', {
    path: '/v1/audio/transcriptions',
    summary: 'Write down a recording',
    description:
      'At most 25 MB; paid by the begun second, or what its host says that it cost. A `prompt` of up to 1,000 characters costs nothing by itself. `usage.cost` tells what was charged.',
    bodiesByType: {
      'multipart/form-data': transcriptionFieldsSchema
        .extend({ file: sound })
        .meta({ id: 'TranscriptionRequest' }),
    },
    answer: transcriptSchema,
    answersByType: { 'text/plain': z.string() },
  }),
]
