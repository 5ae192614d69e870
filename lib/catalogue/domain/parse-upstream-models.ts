import { z } from 'zod'
import { parseWith } from '@/lib/http/domain/parse-with'
import { MODEL_ID_LENGTH_MAX } from './model'
import { parseExactJson } from './parse-exact-json'
import type { UpstreamModel } from './upstream-model'

/** Ten times the longest known list; limits what a hostile upstream can make us store. */
const MODEL_COUNT_MAX = 5_000
/** Pages show a sentence or two; some upstreams send essays. */
const DESCRIPTION_LENGTH_MAX = 2_000
const NAME_LENGTH_MAX = 200
const MODALITY_COUNT_MAX = 16
/** More than twice as many as exist. */
const PARAMETER_COUNT_MAX = 64
const EFFORT_COUNT_MAX = 16
/** The efforts that all hosts with such a setting support, for a model without a list of its own. */
const USUAL_EFFORTS = ['high', 'medium', 'low']

/** Numbers arrive as text (parse-exact-json); counts of more than ten digits make no sense. */
const countText = z.string().regex(/^\d{1,10}$/)
const count = countText.transform(Number).nullish().catch(null)
const label = z.string().nullish().catch(null)
const modalities = z.array(z.string().max(32)).max(MODALITY_COUNT_MAX).nullish().catch(null)

const modelItem = z.object({
  // Ids appear in URLs, headers and logs: no white space, no control characters.
  id: z
    .string()
    .max(MODEL_ID_LENGTH_MAX)
    .regex(/^[^\s\p{C}]+$/u),
  name: label,
  description: label,
  created: count,
  context_length: count,
  /** vLLM's and Groq's names for the context length. */
  max_model_len: count,
  context_window: count,
  architecture: z
    .object({ input_modalities: modalities, output_modalities: modalities })
    .nullish()
    .catch(null),
  top_provider: z.object({ max_completion_tokens: count }).nullish().catch(null),
  pricing: z.record(z.string(), z.unknown()).nullish().catch(null),
  supported_parameters: z.array(z.string().max(64)).max(PARAMETER_COUNT_MAX).nullish().catch(null),
  /** Missing for models that cannot reason. Without a list of efforts, the usual ones apply. */
  reasoning: z
    .looseObject({
      mandatory: z.boolean().catch(false),
      supported_efforts: z
        .array(z.string().regex(/^[a-z]{1,16}$/))
        .max(EFFORT_COUNT_MAX)
        .nullish()
        .catch([]),
    })
    .nullish()
    .catch(null),
  expiration_date: label,
})

/** OpenAI's `{"data": […]}`; some hosts send just the list. */
const modelList = z.union([
  z.array(z.unknown()),
  z.object({ data: z.array(z.unknown()) }).transform(list => list.data),
])

/** Null if the text is not a list of models; unreadable entries are skipped. */
export function parseUpstreamModels(text: string): UpstreamModel[] | null {
  const list = modelList.safeParse(parseExactJson(text))
  if (!list.success) return null
  const byId = new Map<string, UpstreamModel>()
  for (const entry of list.data.slice(0, MODEL_COUNT_MAX)) {
    const item = parseWith(modelItem, entry)
    if (item.success && !byId.has(item.data.id)) byId.set(item.data.id, convertModel(item.data))
  }
  return [...byId.values()]
}

function convertModel(item: z.output<typeof modelItem>): UpstreamModel {
  return {
    id: item.id,
    name: (item.name?.trim() || item.id).slice(0, NAME_LENGTH_MAX),
    description: (item.description ?? '').slice(0, DESCRIPTION_LENGTH_MAX),
    createdAtSeconds: item.created ?? 0,
    contextLength: item.context_length || item.max_model_len || item.context_window || null,
    outputTokenCountMax: item.top_provider?.max_completion_tokens || null,
    inputModalities: item.architecture?.input_modalities ?? null,
    outputModalities: item.architecture?.output_modalities ?? null,
    supportedParameters: item.supported_parameters ?? null,
    canReason: canReason(item),
    reasoning: reasoningControl(item),
    expiresAtSeconds: readDate(item.expiration_date),
    pricing: item.pricing ?? null,
  }
}

const REASONING_PARAMETERS = ['reasoning', 'include_reasoning', 'reasoning_effort']

/** Null if the list gives no indication. */
function canReason({
  reasoning,
  supported_parameters: parameters,
}: z.output<typeof modelItem>): boolean | null {
  if (reasoning) return true
  if (!parameters || parameters.length === 0) return null
  return REASONING_PARAMETERS.some(name => parameters.includes(name))
}

function reasoningControl({
  reasoning,
  supported_parameters: parameters,
}: z.output<typeof modelItem>): UpstreamModel['reasoning'] {
  if (!reasoning) {
    return parameters?.includes('reasoning_effort') ? { efforts: USUAL_EFFORTS, mandatory: false } : null
  }
  const { mandatory, supported_efforts: efforts } = reasoning
  if (efforts?.length === 0) return null
  return { efforts: [...new Set(efforts ?? USUAL_EFFORTS)], mandatory }
}

/** `2026-12-31`, with or without a time of day. */
function readDate(text: string | null | undefined): number | null {
  const time = text && /^\d{4}-\d{2}-\d{2}(T|$)/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? null : Math.floor(time / 1_000)
}
