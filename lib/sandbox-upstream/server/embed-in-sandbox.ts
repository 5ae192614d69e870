import 'server-only'
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { readJson } from '@/lib/http/read-body'
import { splitTokens, TOKEN_LENGTH_MAX } from '../domain/split-tokens'
import { requireContext, requireSandboxModel } from './require-model'

/** Twice what this site accepts from a caller. */
const REQUEST_BYTES_MAX = 64 * 1024 * 1024
const DIMENSION_COUNT = 256
/** A character is two units of a text at most. */
const UNITS_PER_TOKEN_MAX = 2 * TOKEN_LENGTH_MAX

const tokenIds = z.array(z.int()).min(1)

const embeddingRequest = z.object({
  model: z.string(),
  input: z.union([z.string().min(1), z.array(z.string().min(1)).min(1), tokenIds, z.array(tokenIds).min(1)]),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).max(4_096).nullish(),
})

/** `POST /embeddings` of the practice embedder: texts with common words have similar vectors. @throws ApiError */
export async function embedInSandbox(request: Request): Promise<Response> {
  const body = await readJson(request, embeddingRequest, REQUEST_BYTES_MAX)
  const { input, encoding_format: format, dimensions } = body
  const model = requireSandboxModel(body.model)
  let tokenCount = 0
  const data: unknown[] = []
  for (const each of isOne(input) ? [input] : input) {
    // Before it is cut, which takes long: this many it has at least.
    requireContext(model, Math.ceil(each.length / UNITS_PER_TOKEN_MAX))
    const tokens = typeof each === 'string' ? splitTokens(each) : each.map(String)
    requireContext(model, tokens.length)
    tokenCount += tokens.length
    const vector = vectorOf(tokens, dimensions ?? DIMENSION_COUNT)
    const embedding = format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector]
    data.push({ object: 'embedding', index: data.length, embedding })
    // Others get a turn before the next one.
    await nextTurn()
  }
  const usage = { prompt_tokens: tokenCount, total_tokens: tokenCount }
  return Response.json({ object: 'list', data, model: model.id, usage })
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
