import 'server-only'
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { ApiError } from '@/lib/http/api-error'
import { readJson } from '@/lib/http/read-body'
import { findSandboxModel } from '../domain/sandbox-models'
import { splitTokens } from '../domain/split-tokens'

/** Twice what this site accepts from a caller. */
const REQUEST_BYTES_MAX = 64 * 1024 * 1024
const DIMENSION_COUNT = 256

const tokenIds = z.array(z.int()).min(1)

const embeddingRequest = z.object({
  model: z.string(),
  input: z.union([z.string().min(1), z.array(z.string().min(1)).min(1), tokenIds, z.array(tokenIds).min(1)]),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).max(4_096).nullish(),
})

/** `POST /embeddings` of the practice embedder: texts with common words have similar vectors. @throws ApiError */
export async function embedInSandbox(request: Request): Promise<Response> {
  const {
    model,
    input,
    encoding_format: format,
    dimensions,
  } = await readJson(request, embeddingRequest, REQUEST_BYTES_MAX)
  if (!findSandboxModel(model)) {
    throw new ApiError('model_not_found', `The model ${model} does not exist.`, { param: 'model' })
  }
  const inputs = (isOne(input) ? [input] : input).map(each =>
    typeof each === 'string' ? splitTokens(each) : each.map(String),
  )
  const tokenCount = inputs.reduce((sum, tokens) => sum + tokens.length, 0)
  return Response.json({
    object: 'list',
    data: inputs.map((tokens, index) => {
      const vector = vectorOf(tokens, dimensions ?? DIMENSION_COUNT)
      const embedding = format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector]
      return { object: 'embedding', index, embedding }
    }),
    model,
    usage: { prompt_tokens: tokenCount, total_tokens: tokenCount },
  })
}

function isOne(input: z.output<typeof embeddingRequest>['input']): input is string | number[] {
  return typeof input === 'string' || typeof input[0] === 'number'
}

/** Each word has a dimension of its own; the vector is normalised to length one. */
function vectorOf(tokens: readonly string[], dimensionCount: number): Float32Array {
  const vector = new Float32Array(dimensionCount)
  for (const token of tokens) {
    const place = createHash('sha256').update(token.trim().toLowerCase()).digest().readUInt32LE(0)
    vector[place % dimensionCount] = (vector[place % dimensionCount] ?? 0) + 1
  }
  const length = Math.hypot(...vector)
  return vector.map(value => value / length)
}
