import { z } from 'zod'
import { IMAGE_COUNT_MAX, PROMPT_LENGTH_MAX } from './image-limits'

const option = z.string().max(64).nullish()

/**
 * The part of an image request that is used here: what is billed, and how it is answered. Everything else
 * (style, background, reference pictures, seeds) is the upstream's to judge.
 */
export const imageRequestSchema = z.looseObject({
  model: z.string().min(1).max(256),
  prompt: z
    .string()
    .max(PROMPT_LENGTH_MAX)
    .refine(text => text.trim() !== '', 'expected a description of the picture'),
  n: z.int().min(1).max(IMAGE_COUNT_MAX).nullish(),
  size: option,
  quality: option,
  response_format: z.enum(['b64_json', 'url']).nullish(),
  /** Pictures come whole; a stream of previews would have no end to be billed by. */
  stream: z.literal(false, 'pictures are not streamed here').nullish(),
})

export type ImageRequest = z.output<typeof imageRequestSchema>
