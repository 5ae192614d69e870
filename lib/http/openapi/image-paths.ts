import { BOOLEAN, INTEGER, listOf, NUMBER, object, oneOf, operation, reference, TEXT } from './operation'

/** Names a request so that it can be repeated safely, and stopped. */
const idempotencyKey = (required: boolean) => ({
  name: 'Idempotency-Key',
  in: 'header',
  required,
  description:
    'Makes a retry safe: the same key gives the same pictures for ten minutes and charges once; 409 with Retry-After while they are drawn. A request with a key goes on when its client leaves.',
  schema: { type: 'string', maxLength: 255 },
})

/** OpenAI's shape; `/images/generations` answers without `/v1` as well. */
export const IMAGE_PATHS = {
  '/v1/images/generations': {
    post: operation({
      summary: 'Draw pictures',
      description:
        'What OpenAI documents; fields that are not listed go on as they came. `n` is lowered to what the balance affords, and only pictures that came are charged: `usage.cost` (USD) and `usage.balance_usd` tell. Up to 20 MB for each picture and 64 MB together.',
      parameters: [idempotencyKey(false)],
      body: 'ImageRequest',
      answer: 'ImageAnswer',
    }),
    delete: operation({
      summary: 'Stop the drawing that was asked for under the same Idempotency-Key',
      description: '`stopped: false` means that the pictures were finished first, and are paid for.',
      parameters: [idempotencyKey(true)],
      answer: object({ object: oneOf('image.generation.stopped'), stopped: BOOLEAN }),
    }),
  },
}

export const IMAGE_SCHEMAS = {
  ImageRequest: {
    ...object({
      model: TEXT,
      prompt: { ...TEXT, maxLength: 32_000 },
      'n?': { ...INTEGER, minimum: 1, maximum: 10 },
      'size?': TEXT,
      'quality?': TEXT,
      'response_format?': oneOf('b64_json', 'url'),
    }),
    additionalProperties: true,
  },
  ImageAnswer: object({
    created: INTEGER,
    data: listOf({
      ...object({ 'b64_json?': TEXT, 'url?': TEXT }),
      additionalProperties: true,
    }),
    usage: reference('ImageUsage'),
  }),
  ImageUsage: {
    ...object({
      input_tokens: INTEGER,
      output_tokens: INTEGER,
      total_tokens: INTEGER,
      image_count: INTEGER,
      cost: { ...NUMBER, description: 'USD charged for the pictures that came.' },
      'balance_usd?': { ...NUMBER, description: 'USD left after it.' },
    }),
    additionalProperties: true,
  },
}
