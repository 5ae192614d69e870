import { operation, pathParameter, queryParameter, reference, TEXT } from './operation'

const stream = { 'text/event-stream': { schema: { type: 'string' } } }
const exchangeId = pathParameter('id', 'The id of the exchange, from its answer or its first chunk.')
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Makes a retry safe: the same key replays the first answer, with another body it is refused.',
  schema: { type: 'string', maxLength: 255 },
}

const sound = { 'audio/*': { schema: { type: 'string', format: 'binary' } } }

/** OpenAI's shapes; `/chat/completions`, `/models` and `/audio/…` answer without `/v1` as well. */
export const INFERENCE_PATHS = {
  '/v1/models': {
    get: operation({
      summary: 'List the models with the prices that this site charges',
      security: 'public',
      parameters: [queryParameter('type', 'Only these kinds, separated by commas: chat, image, audio.')],
      answer: 'ModelList',
    }),
  },
  '/v1/chat/completions': {
    post: operation({
      summary: 'Answer a conversation, streamed or at once',
      description:
        'What OpenAI documents, passed through untouched. `max_tokens` is lowered to what the balance affords. The last chunk, or the answer, tells `usage.cost` (USD charged) and `usage.balance_usd`.',
      parameters: [idempotencyKey],
      body: 'ChatRequest',
      answer: 'ChatAnswer',
      otherContent: stream,
    }),
  },
  '/v1/chat/completions/{id}': {
    get: operation({
      summary: 'Get the rest of an interrupted stream',
      description: 'From the event after `Last-Event-ID`; kept for ten minutes.',
      parameters: [
        exchangeId,
        { name: 'Last-Event-ID', in: 'header', required: false, schema: { type: 'string' } },
      ],
      otherContent: stream,
    }),
    delete: operation({
      summary: 'Stop an exchange and pay for what was delivered',
      parameters: [exchangeId],
    }),
  },
  '/v1/audio/speech': {
    post: operation({
      summary: 'Read a text aloud',
      description:
        'Streams the sound. `x-cost-usd` tells what the text costs, `x-exchange-id` the id under which `GET /queries/{id}` tells what was charged. Unknown fields go to the upstream.',
      parameters: [idempotencyKey],
      body: 'SpeechRequest',
      otherContent: sound,
    }),
  },
  '/v1/audio/voices': {
    get: operation({
      summary: 'List the voices and the models that speak with them',
      security: 'public',
      answer: 'VoiceList',
    }),
  },
  '/v1/audio/transcriptions': {
    post: {
      ...operation({
        summary: 'Write down a recording',
        description: 'At most 25 MB; paid by the begun second. `usage.cost` tells what was charged.',
        parameters: [idempotencyKey],
        answer: 'Transcript',
        otherContent: { 'text/plain': { schema: TEXT } },
      }),
      requestBody: {
        required: true,
        content: { 'multipart/form-data': { schema: reference('TranscriptionRequest') } },
      },
    },
  },
}
