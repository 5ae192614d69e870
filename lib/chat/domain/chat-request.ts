import { z } from 'zod'
import {
  CHOICE_COUNT_MAX,
  FALLBACK_MODEL_COUNT_MAX,
  MESSAGE_COUNT_MAX,
  TOKEN_COUNT_MAX,
} from './exchange-limits'

const tokenCount = z.int().min(1).max(TOKEN_COUNT_MAX).nullish()
const modelId = z.string().min(1).max(256)

/**
 * The part of a chat completion request that is used here: what is billed, and how it is answered.
 * Everything else (tools, response formats, reasoning, routing) is the upstream's to judge.
 */
export const chatRequestSchema = z.looseObject({
  model: modelId,
  messages: z
    .array(
      z.looseObject({
        role: z.string().min(1).max(64),
        content: z
          .union([z.string(), z.array(z.looseObject({ type: z.string().max(64) })), z.null()])
          .optional(),
      }),
    )
    .min(1)
    .max(MESSAGE_COUNT_MAX),
  /** OpenRouter's fallbacks: any of them may answer, so the dearest bounds the cost. */
  models: z.array(modelId).max(FALLBACK_MODEL_COUNT_MAX).nullish(),
  max_tokens: tokenCount,
  max_completion_tokens: tokenCount,
  n: z.int().min(1).max(CHOICE_COUNT_MAX).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  tools: z.array(z.looseObject({})).max(MESSAGE_COUNT_MAX).nullish(),
})

export type ChatRequest = z.output<typeof chatRequestSchema>
