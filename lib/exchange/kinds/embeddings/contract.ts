import { z } from 'zod'
import { invalidField } from '@/lib/http/api-error'
import { isObject } from '@/lib/http/domain/is-object'
import { free, modelId, readContract } from '../contract'

/** Enough for two thousand texts of some pages each. */
export const EMBEDDING_REQUEST_BYTES_MAX = 32 * 1024 * 1024
/** OpenAI's limit of texts per request. */
const INPUT_COUNT_MAX = 2_048
/** Longer than any model accepts. */
const TOKENS_PER_INPUT_MAX = 131_072
/** The longest known vectors have 8,192 numbers. */
const DIMENSION_COUNT_MAX = 65_536

const text = z.string().min(1, 'expected a text that is not empty')
const tokenIds = z.array(z.int().nonnegative()).min(1).max(TOKENS_PER_INPUT_MAX)
/** Every field of a request for embeddings that goes to an upstream; others are left out. */
export const embeddingRequestSchema = z.object({
  model: modelId,
  input: z
    .union([
      text,
      z.array(text).min(1).max(INPUT_COUNT_MAX),
      tokenIds,
      z.array(tokenIds).min(1).max(INPUT_COUNT_MAX),
    ])
    .describe('A text or up to 2,048 texts; or the token numbers of one or several texts.'),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).max(DIMENSION_COUNT_MAX).nullish(),
  /** What the texts are for, which some models distinguish. */
  input_type: z.string().max(64).nullish(),
  user: free,
})

export type EmbeddingRequest = z.output<typeof embeddingRequestSchema>

/** Checked by hand: a union would try each form on all numbers, and record every fault. */
const withUncheckedInput = embeddingRequestSchema.extend({ input: z.custom<EmbeddingRequest['input']>() })

/** What is expected instead, by the first fault; null if there is none. */
function faultOf(input: unknown): string | null {
  if (typeof input === 'string') return input === '' ? 'a text that is not empty' : null
  if (!Array.isArray(input) || input.length === 0) return 'a text, or a list of texts'
  const [first] = input
  if (typeof first === 'number') return faultOfTokenIds(input)
  if (input.length > INPUT_COUNT_MAX) return `at most ${INPUT_COUNT_MAX} texts`
  if (Array.isArray(first)) return input.map(faultOfTokenIds).find(fault => fault !== null) ?? null
  return input.every(each => typeof each === 'string' && each !== '') ? null : 'texts that are not empty'
}

function faultOfTokenIds(input: unknown): string | null {
  if (!Array.isArray(input) || input.length === 0) return 'tokens by their numbers'
  if (input.length > TOKENS_PER_INPUT_MAX) return `at most ${TOKENS_PER_INPUT_MAX} tokens of a text`
  return input.every(isTokenId) ? null : 'tokens by their numbers'
}

function isTokenId(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** @throws ApiError invalid_request naming the field */
export function readEmbeddingRequest(body: unknown): { request: EmbeddingRequest; ignoredFields: string[] } {
  const input = isObject(body) ? body.input : null
  const fault = faultOf(input)
  if (fault !== null) throw invalidField('input', `expected ${fault}`)
  return readContract(body, withUncheckedInput, {
    refused: {
      provider: 'the host of embeddings cannot be chosen here',
      models: 'vectors of different models cannot be compared: name one model',
      service_tier: 'only the standard tier is offered here',
      plugins: 'plugins are not offered here',
    },
  })
}

/** The texts of a request, or their tokens, one by one. */
export function inputsOf({ input }: EmbeddingRequest): readonly (string | readonly number[])[] {
  if (typeof input === 'string') return [input]
  return isTokenIds(input) ? [input] : input
}

function isTokenIds(input: Exclude<EmbeddingRequest['input'], string>): input is number[] {
  return typeof input[0] === 'number'
}
