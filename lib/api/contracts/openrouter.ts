import { z } from 'zod'

const usd = z.number().describe('USD.')

/**
 * A credential in the shape of OpenRouter. Fields that have no meaning here are null, empty, zero or false: OpenRouter's
 * own client reads no answer without them.
 */
export const currentKeySchema = z
  .object({
    data: z.object({
      label: z.string(),
      limit: usd
        .nullable()
        .describe('The spending limit in USD, per reset period if there is one. Null: no limit.'),
      limit_remaining: usd.nullable(),
      limit_reset: z.enum(['daily', 'weekly', 'monthly']).nullable(),
      usage: usd.describe('USD charged so far.'),
      usage_daily: usd.describe('Since midnight, UTC.'),
      usage_weekly: usd.describe('Since Monday, UTC.'),
      usage_monthly: usd.describe('Since the first of the month, UTC.'),
      byok_usage: z.literal(0),
      byok_usage_daily: z.literal(0),
      byok_usage_weekly: z.literal(0),
      byok_usage_monthly: z.literal(0),
      include_byok_in_limit: z.literal(false),
      is_free_tier: z.boolean().describe('True if nothing has been paid in yet.'),
      is_management_key: z.boolean().describe('True for the credit_id, which can manage keys.'),
      is_provisioning_key: z.boolean().describe('The same as `is_management_key`.'),
      expires_at: z.iso.datetime().nullable(),
      rate_limit: z
        .object({ requests: z.int(), interval: z.string(), note: z.string() })
        .describe('There is no fixed rate limit to plan by.'),
      free_model_daily_requests: z
        .object({ limit: z.literal(-1), remaining: z.literal(-1), used: z.literal(0) })
        .describe('Free models have no daily limit here.'),
      allowed_data_regions: z.array(z.string()).readonly(),
      budgets: z.array(z.looseObject({})).readonly(),
      effective_budget: z.null(),
      creator_user_id: z.null(),
      organization_id: z.null(),
      workspace_id: z.null(),
    }),
  })
  .meta({ id: 'CurrentKey' })

export const creditsSchema = z
  .object({
    data: z.object({
      total_credits: usd.describe('USD paid in so far: the balance and what has been used, together.'),
      total_usage: usd.describe('USD charged so far.'),
    }),
  })
  .meta({ id: 'Credits' })

export const modelCountSchema = z.object({ data: z.object({ count: z.int() }) }).meta({ id: 'ModelCount' })

/** What OpenRouter tells of a call, and is not kept here. */
const UNTOLD = [
  'app_id',
  'cache_discount',
  'external_user',
  'http_referer',
  'moderation_latency',
  'native_finish_reason',
  'native_tokens_completion_images',
  'num_fetches',
  'num_input_audio_prompt',
  'num_media_completion',
  'num_media_prompt',
  'num_search_results',
  'preset_id',
  'provider_name',
  'provider_responses',
  'router',
  'service_tier',
  'streamed',
  'upstream_inference_cost',
  'user_agent',
  'web_search_engine',
  'workspace_id',
] as const

function ofEachUntold<Value>(value: Value): Record<(typeof UNTOLD)[number], Value>
function ofEachUntold(value: unknown) {
  return Object.fromEntries(UNTOLD.map(field => [field, value]))
}

export const UNTOLD_OF_CALL = ofEachUntold(null)

/** A call in the shape of OpenRouter. */
export const generationSchema = z
  .object({
    data: z.object({
      id: z.string(),
      upstream_id: z.string().nullable().describe('The id that the model’s host gave this call.'),
      model: z.string(),
      created_at: z.iso.datetime(),
      total_cost: usd.describe('USD charged.'),
      usage: usd.describe('The same as `total_cost`.'),
      is_byok: z.literal(false),
      tokens_prompt: z.int(),
      tokens_completion: z.int(),
      native_tokens_prompt: z.int(),
      native_tokens_completion: z.int(),
      native_tokens_reasoning: z.int(),
      native_tokens_cached: z.int(),
      cancelled: z.boolean().describe('True if the call was stopped, or the client disconnected.'),
      latency: z.number().nullable().describe('Milliseconds to the first token.'),
      generation_time: z.number().describe('Milliseconds in total.'),
      finish_reason: z.string().nullable(),
      api_type: z.string(),
      origin: z.string(),
      data_region: z.literal('global'),
      ...ofEachUntold(z.null()),
    }),
  })
  .meta({ id: 'Generation' })
