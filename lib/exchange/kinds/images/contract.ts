import { z } from 'zod'
import { free, modelId, readContract } from '../contract'

/** The limit of OpenAI and OpenRouter per request. */
const IMAGE_COUNT_MAX = 10
/** OpenAI's limit of a prompt, in characters. */
const PROMPT_LENGTH_MAX = 32_000
/** Enough for the reference pictures that some models accept, as data URLs. */
export const IMAGE_REQUEST_BYTES_MAX = 32 * 1024 * 1024

/**
 * `1024x1024`, `auto`, or a class of sizes. No model draws ten thousand pixels across, but a host that ignores the size
 * would answer, and without a report of its own the picture is charged by what was asked for.
 */
const size = z
  .string()
  .regex(/^(auto|\d{2,4}x\d{2,4}|[124]K)$/i, 'expected a size such as 1024x1024, or auto')
  .nullish()
/**
 * OpenAI's, and Recraft's families of pixels. By the style alone Recraft draws vectors for twice the price of the same
 * model, and many of those do not sound like it, such as Linocut.
 */
const PIXEL_STYLES = [
  'vivid',
  'natural',
  'any',
  'realistic_image',
  'digital_illustration',
  'logo_raster',
  'Photorealism',
  'Illustration',
] as const
/** More than any model accepts. */
const REFERENCE_COUNT_MAX = 64
const oneReference = z.union([z.string(), z.looseObject({})])
const reference = z.union([oneReference, z.array(oneReference).max(REFERENCE_COUNT_MAX)])

/** Every field of a request for pictures that goes to an upstream; others are left out. */
export const imageRequestSchema = z.object({
  model: modelId,
  prompt: z
    .string()
    .max(PROMPT_LENGTH_MAX)
    .refine(text => text.trim() !== '', 'expected a description of the picture'),
  n: z.int().min(1).max(IMAGE_COUNT_MAX).nullish(),
  size,
  quality: z
    .enum(['auto', 'low', 'medium', 'high', 'standard', 'hd'], 'expected low, medium, high, or auto')
    .nullish(),
  response_format: z.enum(['b64_json', 'url']).nullish(),
  /** Pictures are sent whole; a stream of previews would have no end to be billed by. */
  stream: z.literal(false, 'images are not streamed here').nullish(),
  image: reference.nullish(),
  images: reference.nullish(),
  input_references: reference.nullish(),
  aspect_ratio: free,
  style: z.enum(PIXEL_STYLES, 'expected a style of pixels: vectors have a price of their own').nullish(),
  background: free,
  output_format: free,
  output_compression: free,
  moderation: free,
  seed: free,
  negative_prompt: free,
  user: free,
})

export type ImageRequest = z.output<typeof imageRequestSchema>

/** Fields whose cost no hold covers, or that change what is asked. */
export const REFUSED_IMAGE_FIELDS: Readonly<Record<string, string>> = {
  partial_images: 'partial images are not sent here',
  resolution: 'use size instead',
  image_size: 'use size instead',
  image_config: 'use size instead',
  service_tier: 'only the standard tier is offered here',
  provider: 'the host of images cannot be chosen here',
  plugins: 'plugins are not offered here',
  tools: 'tools are not offered here',
  models: 'name one model',
}

/** @throws ApiError invalid_request naming the field */
export function readImageRequest(body: unknown): { request: ImageRequest; ignoredFields: string[] } {
  return readContract(body, imageRequestSchema, { refused: REFUSED_IMAGE_FIELDS })
}
