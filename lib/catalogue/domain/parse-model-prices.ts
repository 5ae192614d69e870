import { z } from 'zod'
import type { ModelKind, Prices } from './model'
import { parseExactJson } from './parse-exact-json'
import { convertPricing } from './parse-upstream-models'
import { usablePrices } from './usable-prices'

/** What the operator says about a model, over what its upstream says. */
export interface OperatorModel {
  readonly prices: Prices
  readonly name: string | null
  readonly contextLength: number | null
  readonly kind: ModelKind | null
}

const modelPrices = z.record(
  z.string().min(1).max(200),
  z.looseObject({
    name: z.string().min(1).max(200).optional(),
    // Numbers come as text (parse-exact-json).
    context_length: z
      .string()
      .regex(/^[1-9]\d{0,9}$/, 'expected a number of tokens')
      .transform(Number)
      .optional(),
    kind: z.enum(['chat', 'image', 'speech', 'transcription']).optional(),
  }),
)

export type ModelPricesResult =
  | { outcome: 'parsed'; models: ReadonlyMap<string, OperatorModel> }
  | { outcome: 'malformed'; problem: string }

/** Reads MODEL_PRICES_FILE: `{"model-id": {"prompt": "0.000001", "completion": "0.000002", …}}`. */
export function parseModelPrices(text: string): ModelPricesResult {
  const parsed = modelPrices.safeParse(parseOrUndefined(text))
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    return malformed(`${issue?.path.join('.') || 'its top'}: ${issue?.message ?? 'unexpected value'}`)
  }
  const models = new Map<string, OperatorModel>()
  for (const [id, entry] of Object.entries(parsed.data)) {
    const prices = usablePrices(convertPricing(entry))
    if (!prices)
      return malformed(
        `${id}: prompt and completion must be prices in USD per token, or input_character or input_second one per unit; each 0 or more`,
      )
    models.set(id, {
      prices,
      name: entry.name ?? null,
      contextLength: entry.context_length ?? null,
      kind: entry.kind ?? null,
    })
  }
  return { outcome: 'parsed', models }
}

function malformed(problem: string): ModelPricesResult {
  return { outcome: 'malformed', problem }
}

function parseOrUndefined(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return undefined
  }
}
