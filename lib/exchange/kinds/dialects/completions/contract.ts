import { z } from 'zod'
import { CHOICE_COUNT_MAX, free, modelId, readContract, tokenCount } from '../../contract'

const STOP_COUNT_MAX = 64

const ONE_PROMPT =
  'expected one text: send each prompt in a request of its own, and text in place of token numbers'

/** OpenAI's text completions, as far as a chat model can answer them. Fields that are not here are left out. */
export const completionRequestSchema = z.object({
  model: modelId,
  prompt: z.union([z.string().min(1), z.array(z.string().min(1)).length(1)], ONE_PROMPT),
  max_tokens: tokenCount.nullish(),
  n: z.int().min(1).max(CHOICE_COUNT_MAX).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({}).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(STOP_COUNT_MAX)]).nullish(),
  /** Old tools send this although they do not need it. */
  best_of: z.literal(1, 'use n instead').nullish(),
  echo: z.literal(false, 'the prompt cannot be repeated in the answer here').nullish(),
  suffix: z.literal('', 'text cannot be inserted before a suffix here').nullish(),
  temperature: free,
  top_p: free,
  top_k: free,
  min_p: free,
  frequency_penalty: free,
  presence_penalty: free,
  repetition_penalty: free,
  logit_bias: free,
  seed: free,
  user: free,
})

export type CompletionRequest = z.output<typeof completionRequestSchema>

/** @throws ApiError invalid_request naming the field */
export function readCompletionRequest(body: unknown): {
  request: CompletionRequest
  ignoredFields: string[]
} {
  return readContract(body, completionRequestSchema, {
    refused: {
      logprobs: 'use /v1/chat/completions for them',
      models: 'name one model',
      provider: 'use /v1/chat/completions to choose hosts',
      service_tier: 'use /v1/chat/completions to choose it',
    },
    meaningless: ['usage'],
  })
}

/** The request as a chat of one message. */
export function completionToChat(request: CompletionRequest): { model: string } & Record<string, unknown> {
  const { prompt, best_of: _bestOf, echo: _echo, suffix: _suffix, ...settings } = request
  return { ...settings, messages: [{ role: 'user', content: [prompt].flat()[0] }] }
}
