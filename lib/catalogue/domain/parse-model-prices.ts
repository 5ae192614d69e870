import { z } from 'zod'
import { MODEL_ID_LENGTH_MAX, MODEL_KINDS, type ModelKind, type Prices } from './model'
import { modelKind } from './model-kind'
import { parseExactJson } from './parse-exact-json'
import { readImagePricing, readPricing, withNothingWritten } from './usable-prices'

/** The operator's data about a model, which override the upstream's. */
export interface OperatorModel {
  readonly prices: Prices
  readonly name: string | null
  readonly contextLength: number | null
  readonly kind: ModelKind | null
  readonly canReason: boolean | null
  readonly voices: readonly string[] | null
}

/**
 * Alibaba's and ByteDance's own models, which cost several times as much for a long prompt, in steps that differ by
 * region. https://www.alibabacloud.com/help/en/model-studio/models, https://wcode.net/model/doubao-seed-code
 */
const BILLED_IN_STEPS = /(^|\/)(qwen[\d.]*(-(vl|coder|omni))?-(max|plus|flash)|(doubao-)?seed-[1-9])/i

/** More voices than any model has. */
const VOICE_COUNT_MAX = 500

const modelPrices = z.record(
  z.string().min(1).max(MODEL_ID_LENGTH_MAX),
  z.looseObject({
    name: z.string().min(1).max(200).optional(),
    // Numbers arrive as text (parse-exact-json).
    context_length: z
      .string()
      .regex(/^[1-9]\d{0,9}$/, 'expected a number of tokens')
      .transform(Number)
      .optional(),
    kind: z.enum(MODEL_KINDS).optional(),
    /** Whether it may reason before it answers, if its name does not show it. */
    reasoning: z.boolean().optional(),
    /** The voices that the price holds for. */
    voices: z.array(z.string().min(1).max(100)).min(1).max(VOICE_COUNT_MAX).optional(),
    comment: z.unknown().optional(),
  }),
)

export type ModelPricesResult =
  | { outcome: 'parsed'; models: ReadonlyMap<string, OperatorModel> }
  | { outcome: 'malformed'; problem: string }

/** Reads the operator's own prices: `{"model-id": {"prompt": "0.000001", "completion": "0.000002", …}}`. */
export function parseModelPrices(text: string): ModelPricesResult {
  const parsed = modelPrices.safeParse(parseExactJson(text))
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    return malformed(`${issue?.path.join('.') || 'the top level'}: ${issue?.message ?? 'unexpected value'}`)
  }
  const models = new Map<string, OperatorModel>()
  for (const [id, entry] of Object.entries(parsed.data)) {
    const { name, context_length, kind, reasoning, voices, comment: _comment, ...pricing } = entry
    const of = kind ?? modelKind(id, null)
    if (of === 'chat' && BILLED_IN_STEPS.test(id) && pricing.overrides === undefined)
      return malformed(stepsOf(id))
    const isDrawn = pricing.image_output !== undefined && of === 'image'
    const priced = withNothingWritten(pricing, of)
    const reading = isDrawn ? readImagePricing(priced) : readPricing(priced)
    if (reading.outcome === 'unusable') return malformed(problemOf(id, reading.field))
    models.set(id, {
      prices: reading.prices,
      name: name ?? null,
      contextLength: context_length ?? null,
      kind: kind ?? null,
      canReason: reasoning ?? null,
      voices: voices ?? null,
    })
  }
  return { outcome: 'parsed', models }
}

function stepsOf(id: string): string {
  return `${id}: its maker bills long prompts in steps. State them in overrides, or [] if the host does not`
}

function problemOf(id: string, field: string | null): string {
  return field === null
    ? `${id}: expected prompt and completion in USD per token, or input_character or input_second in USD per unit`
    : `${id}.${field}: expected a known price field, with USD per unit of 0 or more`
}

function malformed(problem: string): ModelPricesResult {
  return { outcome: 'malformed', problem }
}
