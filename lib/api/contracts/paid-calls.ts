import { z } from 'zod'
import type { StoppedExchange } from '@/lib/exchange/engine/follow'
import { nanoToUsdNumber } from '@/lib/money/nano'

const charged = {
  cost: z.number().describe('USD charged.'),
  balance_usd: z.number().optional().describe('USD left after this call.'),
}

/** The answer of the upstream in its own fields, with the charge added to `usage`. */
export const chatAnswerSchema = z
  .looseObject({
    id: z.string(),
    choices: z.array(z.looseObject({})),
    usage: z.looseObject({
      prompt_tokens: z.int(),
      completion_tokens: z.int(),
      ...charged,
    }),
  })
  .meta({ id: 'ChatAnswer' })

/** In OpenAI's shape, with the charge. */
export const completionAnswerSchema = z
  .looseObject({
    id: z.string(),
    object: z.literal('text_completion'),
    choices: z.array(
      z.looseObject({ index: z.int(), text: z.string(), finish_reason: z.string().nullable() }),
    ),
    usage: z.looseObject({
      prompt_tokens: z.int(),
      completion_tokens: z.int(),
      ...charged,
    }),
  })
  .meta({ id: 'CompletionAnswer' })

/** In OpenAI's shape, with the charge. */
export const responsesAnswerSchema = z
  .looseObject({
    id: z.string(),
    object: z.literal('response'),
    status: z.enum(['completed', 'incomplete', 'failed']),
    output: z.array(z.looseObject({ type: z.string() })),
    usage: z
      .looseObject({
        input_tokens: z.int(),
        output_tokens: z.int(),
        total_tokens: z.int(),
        ...charged,
      })
      .nullable()
      .describe('Null if the call failed.'),
  })
  .meta({ id: 'ResponsesAnswer' })

/** In Anthropic's shape, with the charge. */
export const messagesAnswerSchema = z
  .looseObject({
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    content: z.array(z.looseObject({ type: z.string() })),
    stop_reason: z.string().nullable(),
    usage: z.looseObject({
      input_tokens: z.int(),
      output_tokens: z.int(),
      ...charged,
    }),
  })
  .meta({ id: 'MessagesAnswer' })

export const tokenCountSchema = z
  .object({
    input_tokens: z.int().describe('A quick estimate; the model’s own count may differ.'),
  })
  .meta({ id: 'TokenCount' })

/** In OpenAI's shape, with the charge. */
export const embeddingAnswerSchema = z
  .object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        index: z.int(),
        embedding: z
          .union([z.array(z.number()), z.string()])
          .describe('With `base64`: 32-bit floats, little-endian.'),
      }),
    ),
    model: z.string(),
    usage: z.looseObject({
      prompt_tokens: z.int(),
      total_tokens: z.int(),
      ...charged,
    }),
  })
  .meta({ id: 'EmbeddingAnswer' })

export const imageAnswerSchema = z
  .object({
    created: z.int(),
    data: z.array(z.looseObject({ b64_json: z.string().optional(), url: z.string().optional() })),
    usage: z.looseObject({
      image_count: z.int(),
      ...charged,
      cost: charged.cost.describe('USD charged for the images that were delivered.'),
    }),
  })
  .meta({ id: 'ImageAnswer' })

export const transcriptSchema = z
  .looseObject({
    text: z.string(),
    usage: z.union([
      z.object({
        type: z.literal('duration'),
        seconds: z.int().describe('Begun seconds.'),
        ...charged,
      }),
      z.object({
        type: z.literal('tokens'),
        input_tokens: z.int(),
        input_token_details: z.object({ text_tokens: z.int(), audio_tokens: z.int() }),
        output_tokens: z.int(),
        total_tokens: z.int(),
        ...charged,
      }),
    ]),
  })
  .meta({ id: 'Transcript' })

export const stoppedSchema = z
  .object({
    id: z.string(),
    object: z.literal('exchange.stopped'),
    stopped: z
      .boolean()
      .describe(
        'False if the answer could not be stopped any more. It is then written to its end, charged, and kept.',
      ),
    ...charged,
    cost: charged.cost.optional().describe('USD; absent while the cost is not known yet.'),
  })
  .meta({ id: 'StoppedExchange' })

export function stoppedToBody(exchange: StoppedExchange): z.output<typeof stoppedSchema> {
  const { exchangeId, isStopped, chargedNano, balanceNano } = exchange
  return {
    id: exchangeId,
    object: 'exchange.stopped',
    stopped: isStopped,
    ...(chargedNano !== null && { cost: nanoToUsdNumber(chargedNano) }),
    ...(balanceNano !== null && { balance_usd: nanoToUsdNumber(balanceNano) }),
  }
}
