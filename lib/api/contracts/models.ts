import { z } from 'zod'
import { MODEL_KINDS } from '@/lib/catalogue/domain/model'

/** OpenAI's fields and OpenRouter's. */
export const modelSchema = z
  .object({
    id: z.string(),
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
        'What this site charges. Decimal strings in USD per unit: prompt, completion, request, image, audio, web_search, input_cache_read, input_character, input_second …; overrides are conditional prices, of which the last that applies wins; one with `service_tier` is for a request that asks for that tier and is served at it.',
      ),
    top_provider: z.object({
      context_length: z.int().nullable(),
      max_completion_tokens: z.int().nullable(),
    }),
    supported_parameters: z.array(z.string()).readonly(),
    reasoning: z
      .object({
        mandatory: z.boolean().describe('It thinks whether it is asked to or not.'),
        supported_efforts: z.array(z.string()).readonly().describe('What `reasoning_effort` may be.'),
      })
      .nullable(),
    expiration_date: z.iso.date().nullable(),
  })
  .meta({ id: 'Model' })

export const modelListSchema = z
  .object({ object: z.literal('list'), data: z.array(modelSchema) })
  .meta({ id: 'ModelList' })

/** Anthropic's fields. */
export const anthropicModelSchema = z
  .object({
    type: z.literal('model'),
    id: z.string().describe('As Anthropic spells it, where it is one of Anthropic’s.'),
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
          models: z.array(z.string()).readonly().describe('Those that speak with it.'),
        })
        .meta({ id: 'Voice' }),
    ),
  })
  .meta({ id: 'VoiceList' })
