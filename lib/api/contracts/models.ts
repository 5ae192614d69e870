import { z } from 'zod'
import { MODEL_KINDS, type Model } from '@/lib/catalogue/domain/model'
import { listedPricing } from '@/lib/catalogue/domain/price-snapshot'
import type { Voice } from '@/lib/exchange/kinds/speech/voice'

/**
 * A model with OpenAI's fields and OpenRouter's. Those that have no meaning here are null or false: OpenRouter's own
 * client reads no list without them.
 */
export const modelSchema = z
  .object({
    id: z.string(),
    canonical_slug: z.string().describe('The same as `id`.'),
    object: z.literal('model'),
    created: z.int(),
    owned_by: z.string(),
    name: z.string(),
    description: z.string(),
    type: z.enum(MODEL_KINDS),
    context_length: z.int().nullable(),
    architecture: z.object({
      modality: z.string().describe('`text+image->text`.'),
      input_modalities: z.array(z.string()).readonly(),
      output_modalities: z.array(z.string()).readonly(),
    }),
    pricing: z
      .record(z.string(), z.union([z.string(), z.array(z.looseObject({})).readonly()]))
      .describe(
        'The prices that this site charges, as decimal strings in USD per unit: prompt, completion, request, image, audio, web_search, input_cache_read, input_character, input_second, recording_min …. `overrides` are conditional prices; the last one that applies is used. An override with `service_tier` applies to a request that asks for that tier and is served in it.',
      ),
    top_provider: z.object({
      context_length: z.int().nullable(),
      max_completion_tokens: z.int().nullable(),
      is_moderated: z.literal(false),
    }),
    per_request_limits: z.null(),
    supported_parameters: z.array(z.string()).readonly(),
    default_parameters: z.null(),
    supported_voices: z.null().describe('`GET /v1/audio/voices` lists the voices.'),
    reasoning: z
      .object({
        mandatory: z.boolean().describe('The model reasons even if it is not asked to.'),
        supported_efforts: z
          .array(z.string())
          .readonly()
          .describe('The values that `reasoning_effort` may have.'),
      })
      .optional()
      .describe('Only if the model’s host tells it.'),
    expiration_date: z.iso.date().nullable(),
    links: z.object({ details: z.string().describe('The path of this model alone.') }),
  })
  .meta({ id: 'Model' })

/** The prices are those that this site charges. */
export function modelToBody(model: Model): z.output<typeof modelSchema> {
  const [owner = ''] = model.id.split('/')
  return {
    id: model.id,
    canonical_slug: model.id,
    object: 'model',
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
      is_moderated: false,
    },
    per_request_limits: null,
    supported_parameters: model.supportedParameters,
    default_parameters: null,
    supported_voices: null,
    ...(model.reasoning && {
      reasoning: { mandatory: model.reasoning.mandatory, supported_efforts: model.reasoning.efforts },
    }),
    expiration_date: model.expiresAtSeconds === null ? null : dateText(model.expiresAtSeconds),
    links: { details: `/v1/models/${model.id}` },
  }
}

function dateText(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 10)
}

export const modelListSchema = z
  .object({
    object: z.literal('list'),
    total_count: z.int(),
    links: z.object({ next: z.null() }).describe('The list is complete.'),
    data: z.array(modelSchema),
  })
  .meta({ id: 'ModelList' })

/** A model with Anthropic's fields. */
export const anthropicModelSchema = z
  .object({
    type: z.literal('model'),
    id: z.string().describe('In Anthropic’s spelling if it is one of Anthropic’s models.'),
    display_name: z.string(),
    created_at: z.iso.datetime(),
    max_input_tokens: z.int().nullable(),
    max_tokens: z.int().nullable(),
  })
  .meta({ id: 'AnthropicModel' })

export const anthropicModelListSchema = z
  .object({
    data: z.array(anthropicModelSchema),
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  })
  .meta({ id: 'AnthropicModelList' })

export const voiceListSchema = z
  .object({
    object: z.literal('list'),
    data: z.array(
      z
        .object({
          id: z.string(),
          object: z.literal('voice'),
          name: z.string(),
          language: z.string().nullable(),
          description: z.string().nullable(),
          preview_url: z.string().nullable(),
          models: z.array(z.string()).readonly().describe('The models that speak with this voice.'),
        })
        .meta({ id: 'Voice' }),
    ),
    voices: z
      .array(z.object({ id: z.string(), name: z.string() }))
      .describe('The same voices, where Open WebUI and other clients of self-hosted speech read them.'),
  })
  .meta({ id: 'VoiceList' })

export function voicesToBody(voices: readonly Voice[]): z.output<typeof voiceListSchema> {
  return {
    object: 'list',
    data: voices.map(({ id, name, language, description, previewUrl, models }) => ({
      id,
      object: 'voice',
      name,
      language,
      description,
      preview_url: previewUrl,
      models,
    })),
    voices: voices.map(({ id, name }) => ({ id, name })),
  }
}
