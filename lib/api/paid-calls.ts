import 'server-only'
import { z } from 'zod'
import { chatRequestSchema } from '@/lib/exchange/kinds/chat/contract'
import { completionRequestSchema } from '@/lib/exchange/kinds/dialects/completions/contract'
import {
  FREE_BETAS,
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
const binary = z.string().meta({ format: 'binary' })

const messagesError = { error: messagesErrorSchema, errorBody: messagesErrorBody }

const IGNORED_FIELDS = 'Fields that are not listed are ignored and named in `x-ignored-fields`.'
const CHARGE = '`usage.cost` (USD charged) and `usage.balance_usd`'
const lastChunk = (has: string) =>
  `The last chunk, or the whole answer, contains ${CHARGE}; that chunk has ${has}, or no choice if \`stream_options.include_usage\` asked for it.`
const PASSED_BETAS = new Intl.ListFormat('en-GB').format([...FREE_BETAS].map(beta => `\`${beta}\``))

/** OpenAI's shapes, and Anthropic's; all answer without `/v1` as well. */
export const paidCallRoutes = [
  ...paidCall('chat', {
    path: '/v1/chat/completions',
    summary: 'Answer a conversation, streamed or at once',
    description: `As documented by OpenAI. ${IGNORED_FIELDS} \`max_tokens\` is lowered to what the balance affords. ${lastChunk('the finish reason')}`,
    bodiesByType: {
      'application/json': chatRequestSchema.partial({ model: true }).meta({
        id: 'ChatRequest',
        // A list of models is enough.
        anyOf: [{ required: ['model'] }, { required: ['models'] }],
      }),
    },
    answer: chatAnswerSchema,
    mayFailLate: true,
    answersByType: eventStream,
  }),
  ...paidCall('responses', {
    path: '/v1/responses',
    summary: 'Answer a conversation, in OpenAI’s Responses dialect',
    description: `As documented by OpenAI, except that nothing is stored: \`store\`, \`previous_response_id\`, \`conversation\` and \`background\` are refused, and \`input\` has to contain the whole conversation. Fields that are not listed, and the host’s own tools for searching and drawing, are ignored and named in \`x-ignored-fields\`. The last event, or the whole answer, contains ${CHARGE}. An answer that is slow to come is preceded by white space, and fails as a response with \`status\` \`failed\`. The same body sent to \`/v1/chat/completions\` is answered as a chat.`,
    bodiesByType: { 'application/json': responsesRequestSchema.meta({ id: 'ResponsesRequest' }) },
    answer: responsesAnswerSchema,
    answersByType: eventStream,
  }),
  ...paidCall('messages', {
    path: '/v1/messages',
    summary: 'Answer a conversation, in Anthropic’s Messages dialect',
    description: `As documented by Anthropic for Messages, including \`x-api-key\` and \`?beta=true\`. Names such as \`claude-sonnet-4-5-20250929\` find the model in this site’s list. ${IGNORED_FIELDS} Tools that Anthropic runs itself are refused. If the host speaks Messages, the betas that cannot raise the cost are passed on: ${PASSED_BETAS}. The last \`message_delta\`, or the whole answer, contains ${CHARGE}.`,
    bodiesByType: { 'application/json': messagesRequestSchema.meta({ id: 'MessagesRequest' }) },
    answer: messagesAnswerSchema,
    mayFailLate: true,
    answersByType: eventStream,
    ...messagesError,
  }),
  route(
    {
      method: 'POST',
      path: '/v1/messages/count_tokens',
      summary: 'Estimate the tokens of a prompt in Anthropic’s dialect, free of charge',
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
    summary: 'Complete a text, for tools that do not use chat completions',
    description: `As documented by OpenAI, for any chat model: the prompt is sent as a conversation of one message. A request has one prompt, and gets \`n\` answers. ${IGNORED_FIELDS} ${lastChunk('an empty choice')}`,
    bodiesByType: { 'application/json': completionRequestSchema.meta({ id: 'CompletionRequest' }) },
    answer: completionAnswerSchema,
    mayFailLate: true,
    answersByType: eventStream,
  }),
  ...paidCall('embeddings', {
    path: '/v1/embeddings',
    summary: 'Turn texts into vectors',
    description: `As documented by OpenAI. ${IGNORED_FIELDS} Charged by input tokens; the answer contains ${CHARGE}.`,
    bodiesByType: { 'application/json': embeddingRequestSchema.meta({ id: 'EmbeddingRequest' }) },
    answer: embeddingAnswerSchema,
  }),
  ...paidCall('images', {
    path: '/v1/images/generations',
    summary: 'Draw pictures',
    description: `As documented by OpenAI. ${IGNORED_FIELDS} \`n\` is lowered to what the balance affords, and only images that are delivered are charged; the answer contains ${CHARGE}. An answer may have up to 64 MB, in base64.`,
    bodiesByType: { 'application/json': imageRequestSchema.meta({ id: 'ImageRequest' }) },
    answer: imageAnswerSchema,
    mayFailLate: true,
  }),
  ...paidCall('imageEdits', {
    path: '/v1/images/edits',
    summary: 'Draw from pictures',
    description:
      'A form as documented by OpenAI, for models that accept images: up to 16 in `image`, each a PNG, JPEG or WebP of at most 20 MB, and 32 MB together. Priced like other images; the ones sent are input.',
    bodiesByType: {
      'multipart/form-data': imageEditFieldsSchema
        .extend({ image: z.union([binary, z.array(binary)]), mask: binary.optional() })
        .meta({ id: 'ImageEditRequest' }),
    },
    answer: imageAnswerSchema,
    mayFailLate: true,
  }),
  ...paidCall('speech', {
    path: '/v1/audio/speech',
    summary: 'Read a text aloud',
    description:
      'Streams the sound. Charged by the characters of `input` and `instructions` together, or by their tokens if the model has no price per character; `x-cost-usd` is the cost. Models of ElevenLabs ignore `instructions`, which are then not charged.',
    bodiesByType: { 'application/json': speechRequestSchema.meta({ id: 'SpeechRequest' }) },
    answersByType: { 'audio/*': binary, ...eventStream },
  }),
  ...paidCall('transcription', {
    path: '/v1/audio/transcriptions',
    summary: 'Transcribe a recording',
    description:
      'At most 25 MB. Charged by the second, rounded up, or by the tokens of the sound, the prompt and the transcript if the model has no price per second, or by the cost that the host reports. `usage.cost` is the USD charged.',
    bodiesByType: {
      'multipart/form-data': transcriptionFieldsSchema
        .extend({ file: binary })
        .meta({ id: 'TranscriptionRequest' }),
    },
    answer: transcriptSchema,
    answersByType: { 'text/plain': z.string() },
  }),
]
