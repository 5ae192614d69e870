import 'server-only'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { readCost } from '@/lib/catalogue/domain/billed-cost'
import { cost, NO_USAGE } from '@/lib/catalogue/domain/cost'
import type { TokenUsage } from '@/lib/catalogue/domain/model'
import { priceSnapshot } from '@/lib/catalogue/domain/price-snapshot'
import { countTokens } from '@/lib/catalogue/tokenizer/count-tokens'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { fieldsOf, isObject } from '@/lib/http/domain/is-object'
import type { Decimal } from '@/lib/money/decimal'
import { UpstreamFailure, upstreamsWith } from '@/lib/upstream/ask-upstreams'
import { parseJsonObject } from '@/lib/upstream/read-body'
import { errorIn, inBandRefusal } from '@/lib/upstream/read-refusal'
import { upstreamDialect } from '@/lib/upstream/upstream-dialect'
import { type Charge, type Counted, chargeFields } from '../../domain/decide-charge'
import type { AnswerTimes } from '../../domain/exchange-limits'
import {
  type Evidence,
  failureOf,
  hashOfRequest,
  type Kind,
  type Settlement,
  type UpstreamCall,
} from '../../engine/kind'
import { priceLimit } from '../chat/upstream-body'
import { findModel, type KindServices } from '../kind-services'
import { isBeyondPossible, readUpstreamCount, TEXT_ALONE } from '../usage'
import { EMBEDDING_REQUEST_BYTES_MAX, type EmbeddingRequest, readEmbeddingRequest } from './contract'
import { type EmbeddingPlan, planEmbeddings, probableNano, requireTexts } from './plan'

/** Thousands of pages take a minute or two on a local machine. */
const EMBEDDING_TIMES: AnswerTimes = {
  firstByteTimeoutMs: 300_000,
  betweenBytesTimeoutMs: 60_000,
  bodyTimeoutMs: 120_000,
}

/** `POST /v1/embeddings`, priced by the input. */
export function embeddingsKind(services: KindServices): Kind {
  return {
    queryType: 'embedding',
    body: { bytesMax: EMBEDDING_REQUEST_BYTES_MAX, content: 'json' },
    async quote({ body, json }) {
      const { request: asked, ignoredFields } = readEmbeddingRequest(await json())
      const model = await findModel(services.catalogue, 'embedding', asked.model)
      const request = { ...asked, model: model.id }
      const upstreams = upstreamsWith(model, services.upstreams)
      if (!upstreams.every(({ baseUrl }) => upstreamDialect(baseUrl).routes)) requireTexts(request, model)
      const plan = planEmbeddings(request, model)
      let counting: Promise<number> | null = null
      const ownCount = () => {
        counting ??= countTokens(plan.texts).then(tokenCount => tokenCount + plan.tokenIdCount)
        return counting
      }
      const callFor = () => embedding(request, plan, ownCount, services.priceMarkup)
      return {
        modelId: model.id,
        priceSnapshot: priceSnapshot(model.prices),
        requestHash: hashOfRequest('embedding\n', body),
        boundNano: plan.boundNano,
        // Nothing can be lowered, since a text is read as a whole.
        minimumNano: plan.boundNano,
        estimated: async () => ({
          leastNano: probableNano(plan, await ownCount()),
          isGuess: false,
          boundFor: () => plan.boundNano,
          callFor,
        }),
        isFree: plan.isFree,
        answerBytes: plan.answerBytes,
        ignoredFields,
        upstreams,
        times: { ...EMBEDDING_TIMES, ...services.times },
        callFor,
      }
    },
  }
}

function embedding(
  request: EmbeddingRequest,
  plan: EmbeddingPlan,
  ownCount: () => Promise<number>,
  priceMarkup: Decimal,
): UpstreamCall {
  const own = async () => countedOf(plan, { ...NO_USAGE, inputTokenCount: await ownCount() })
  return {
    requestTo: upstream => ({
      upstream,
      path: '/embeddings',
      body: Buffer.from(JSON.stringify(upstreamBody(request, plan, priceMarkup, upstream))),
    }),
    open: (_response, upstream) => ({
      form: 'whole',
      read(bytes) {
        const body = parseJsonObject(bytes.toString('utf8'))
        const evidence = () => evidenceOf(body ?? {}, plan, own)
        const error = errorIn(body)
        if (error !== null) throw failureOf(inBandRefusal(error, upstream), evidence())
        const vectors = body && readVectors(body, plan.inputCount)
        if (!body || !vectors) {
          const message = 'The upstream sent something that is not embeddings.'
          throw failureOf(new UpstreamFailure('refused', message, { mayBill: true }), evidence())
        }
        return {
          evidence,
          write: async ({ charge, settlement }) => ({
            contentType: 'application/json',
            body: await writeAnswer(vectors, request, answerOf({ body, plan, charge, settlement })),
          }),
        }
      },
    }),
    costWithoutAnswer: own,
  }
}

/**
 * A router is sent the prices that the hold was calculated with, as a limit for the hosts that it may choose. Many
 * vectors are requested in base64: as digits, those of two thousand texts would exceed the longest answer that is read,
 * after the host has made and billed them.
 */
function upstreamBody(
  asked: EmbeddingRequest,
  { model, answerBytes }: EmbeddingPlan,
  priceMarkup: Decimal,
  { baseUrl }: UpstreamSettings,
): Record<string, unknown> {
  const isPacked = answerBytes > 0 && upstreamDialect(baseUrl).supportsBase64Vectors
  const request = isPacked ? { ...asked, encoding_format: 'base64' } : asked
  if (!upstreamDialect(baseUrl).routes) return request
  return {
    ...request,
    provider: { max_price: priceLimit({}, { models: [model], priceFactor: 1 }, priceMarkup) },
  }
}

function evidenceOf(
  body: Record<string, unknown>,
  plan: EmbeddingPlan,
  own: () => Promise<Counted>,
): Evidence {
  // There is no output, which most hosts do not report.
  const report = isObject(body.usage) ? { ...body.usage, completion_tokens: 0, output_tokens: 0 } : null
  const possible = {
    ...TEXT_ALONE,
    hasOutput: false,
    inputCharacterCount: plan.characterCount,
    outputCharacterCount: 0,
    inputTokenCountMax: plan.inputTokenCountMax,
    outputTokenCountMax: 0,
  }
  return {
    hasOutput: true,
    reportedCost: readCost(report),
    upstreamCount: readUpstreamCount(report, possible, usage => countedOf(plan, usage)),
    isBeyondPossible: isBeyondPossible(report, possible),
    localCount: own,
    generationId: typeof body.id === 'string' ? body.id.slice(0, 256) : null,
  }
}

function countedOf({ model: { prices } }: EmbeddingPlan, usage: TokenUsage): Counted {
  const { inputTokenCount, cachedInputTokenCount } = usage
  return {
    costNano: cost({ prices, usage: { ...NO_USAGE, inputTokenCount, cachedInputTokenCount } }),
    counts: { inputTokenCount, cachedInputTokenCount, outputTokenCount: 0, reasoningTokenCount: 0 },
  }
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const BYTES_PER_NUMBER = 4

/** A vector for every input, by its index; null if it is no such answer. */
function readVectors(body: Record<string, unknown>, inputCount: number): (string | number[])[] | null {
  if (!Array.isArray(body.data) || body.data.length !== inputCount) return null
  const vectors = new Map<unknown, string | number[]>()
  body.data.forEach((entry: unknown, place) => {
    const { index = place, embedding: vector } = fieldsOf(entry)
    if (typeof vector === 'string' ? isPacked(vector) : isNumbers(vector)) {
      vectors.set(index, vector as string | number[])
    }
  })
  const ordered = Array.from({ length: inputCount }, (_, index) => vectors.get(index))
  return ordered.every(vector => vector !== undefined) ? ordered : null
}

/** Whether it is base64 of whole numbers, of at least one. */
function isPacked(vector: string): boolean {
  const byteCount = BASE64.test(vector) ? Buffer.byteLength(vector, 'base64') : 0
  return byteCount > 0 && byteCount % BYTES_PER_NUMBER === 0
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every(each => typeof each === 'number')
}

/** OpenAI's answer without the vectors, with the charge. */
function answerOf(input: {
  body: Record<string, unknown>
  plan: EmbeddingPlan
  charge: Charge
  settlement: Settlement
}): Record<string, unknown> {
  const { body, charge } = input
  const { inputTokenCount } = charge.counts
  return {
    model: typeof body.model === 'string' ? body.model : input.plan.model.id,
    usage: {
      prompt_tokens: inputTokenCount,
      total_tokens: inputTokenCount,
      ...chargeFields(input.settlement),
      ...(charge.estimated ? { estimated: true } : {}),
    },
  }
}

/**
 * Written in one turn: some ten milliseconds. Thousands of short texts cost next to nothing, and are millions of
 * numbers.
 */
const NUMBERS_PER_TURN = 50_000

/** With the vectors in the form that was asked for, whichever the host knows; others get their turn between them. */
export async function writeAnswer(
  vectors: readonly (string | number[])[],
  { encoding_format: format }: Pick<EmbeddingRequest, 'encoding_format'>,
  rest: Record<string, unknown>,
): Promise<Buffer> {
  const write = format === 'base64' ? toBase64 : toNumbers
  const pieces: Buffer[] = []
  let numberCount = 0
  for (const [index, vector] of vectors.entries()) {
    const embedding = write(vector)
    const text = JSON.stringify({ object: 'embedding', index, embedding })
    pieces.push(Buffer.from(index === 0 ? text : `,${text}`))
    numberCount += embedding.length
    if (numberCount < NUMBERS_PER_TURN) continue
    numberCount = 0
    await nextTurn()
  }
  const end = Buffer.from(`],${JSON.stringify(rest).slice(1)}`)
  return Buffer.concat([Buffer.from('{"object":"list","data":['), ...pieces, end])
}

/** 32-bit numbers, the lowest byte first, as OpenAI has them. */
function toBase64(vector: string | number[]): string {
  if (typeof vector === 'string') return vector
  const bytes = Buffer.alloc(vector.length * BYTES_PER_NUMBER)
  vector.forEach((value, index) => {
    bytes.writeFloatLE(value, index * BYTES_PER_NUMBER)
  })
  return bytes.toString('base64')
}

function toNumbers(vector: string | number[]): number[] {
  if (typeof vector !== 'string') return vector
  const bytes = Buffer.from(vector, 'base64')
  const count = Math.floor(bytes.length / BYTES_PER_NUMBER)
  return Array.from({ length: count }, (_, index) => bytes.readFloatLE(index * BYTES_PER_NUMBER))
}
