import { MODEL_KINDS, type Model, type ModelKind } from './model'
import { listedPricing } from './price-snapshot'

/** The values of `?type=`; audio covers both directions. */
const KINDS_BY_TYPE: Readonly<Record<string, readonly ModelKind[]>> = {
  ...Object.fromEntries(MODEL_KINDS.map(kind => [kind, [kind]])),
  audio: ['speech', 'transcription'],
}

export const MODEL_TYPES = Object.keys(KINDS_BY_TYPE)

/** Parses `chat,image` into kinds; null if a name is unknown. Without a query, every kind. */
export function parseTypes(query: string | null): ReadonlySet<ModelKind> | null {
  const names = query?.split(',').map(name => name.trim()) ?? MODEL_KINDS
  const kinds = names.map(name => (Object.hasOwn(KINDS_BY_TYPE, name) ? KINDS_BY_TYPE[name] : undefined))
  return kinds.includes(undefined) ? null : new Set(kinds.flatMap(kind => kind ?? []))
}

/** A model with OpenAI's and OpenRouter's fields, and the prices that this site charges. */
export function modelResponse(model: Model) {
  const [owner = ''] = model.id.split('/')
  return {
    id: model.id,
    object: 'model' as const,
    created: model.createdAtSeconds,
    owned_by: owner,
    name: model.name,
    description: model.description,
    type: model.kind,
    context_length: model.contextLength,
    architecture: {
      modality: `${model.inputModalities.join('+')}->${model.outputModalities.join('+')}`,
      input_modalities: model.inputModalities,
      output_modalities: model.outputModalities,
    },
    pricing: listedPricing(model.prices),
    top_provider: {
      context_length: model.contextLength,
      max_completion_tokens: model.outputTokenCountMax,
    },
    supported_parameters: model.supportedParameters,
    reasoning: model.reasoning && {
      mandatory: model.reasoning.mandatory,
      supported_efforts: model.reasoning.efforts,
    },
    expiration_date: model.expiresAtSeconds === null ? null : dateText(model.expiresAtSeconds),
  }
}

function dateText(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 10)
}
