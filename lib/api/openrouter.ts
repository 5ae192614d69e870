import 'server-only'
import { z } from 'zod'
import { filterModels } from '@/lib/catalogue/domain/filter-models'
import { GENERATION_ID_LENGTH_MAX } from '@/lib/catalogue/server/fetch-generation-record'
import type { UsageRecord, UsageSums } from '@/lib/ledger/domain/usage'
import { maxNano, type Nano, nanoToUsdNumber } from '@/lib/money/nano'
import {
  creditsSchema,
  currentKeySchema,
  generationSchema,
  modelCountSchema,
  UNTOLD_OF_CALL,
} from './contracts/openrouter'
import { storableText } from './contracts/values'
import { filterOf, listQuery } from './models'
import { requireOwnCall } from './queries'
import { type Route, route } from './route'

const NO_LIMIT_TO_PLAN_BY = {
  requests: -1,
  interval: '10s',
  note: 'This field is deprecated and safe to ignore.',
}
const NOTHING_OF_OTHERS = {
  free_model_daily_requests: { limit: -1, remaining: -1, used: 0 },
  allowed_data_regions: [],
  budgets: [],
  effective_budget: null,
  creator_user_id: null,
  organization_id: null,
  workspace_id: null,
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 0,
  include_byok_in_limit: false,
} as const

/** Routes below OpenRouter's base path that are not `/v1` routes as well. */
export const openRouterRoutes = [
  keyRoute('/api/v1/key', 'Get the credential of the request, with what it has spent'),
  keyRoute('/api/v1/auth/key', 'Get the same as `/key`, under its old name'),
  route(
    {
      method: 'GET',
      path: '/api/v1/models/count',
      summary: 'Count the models that `GET /v1/models` would list',
      caller: 'published',
      query: listQuery,
      answer: modelCountSchema,
    },
    async ({ services: { catalogue }, query }) => {
      const found = filterModels(await catalogue.listModels(), filterOf(query))
      return { data: { count: found.length } }
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/credits',
      summary: 'Get the USD paid in and used so far',
      description: 'The difference is the balance.',
      caller: 'account',
      limit: 'usage_sum',
      answer: creditsSchema,
    },
    async ({ services: { ledger }, caller: { accountId, balanceNano } }) => {
      const { totalNano } = await ledger.sumUsage({ accountId, keyId: null })
      return {
        data: {
          total_credits: nanoToUsdNumber(balanceNano + totalNano),
          total_usage: nanoToUsdNumber(totalNano),
        },
      }
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/generation',
      summary: 'Get one call, with what it cost',
      description: 'Available once the call is over. An API key sees only its own calls.',
      caller: 'account',
      query: z.object({
        id: storableText
          .min(1)
          .max(GENERATION_ID_LENGTH_MAX)
          .describe('The `id` in the answer, or the `x-exchange-id` in its headers.'),
      }),
      limit: 'usage_sum',
      answer: generationSchema,
    },
    async ({ services: { ledger }, caller: { accountId, keyId }, query: { id } }) => {
      const record =
        (await ledger.getUsage({ accountId, holdId: id })) ??
        (await ledger.findUsage({ accountId, keyId, answerId: id }))
      return { data: generationOf(id, requireOwnCall(record, keyId)) }
    },
  ),
]

function keyRoute(path: '/api/v1/key' | '/api/v1/auth/key', summary: string): Route {
  return route(
    { method: 'GET', path, summary, caller: 'account', limit: 'usage_sum', answer: currentKeySchema },
    async ({ services: { ledger }, caller: { accountId, keyId, balanceNano } }) => {
      const [key, sums] = await Promise.all([
        keyId === null ? null : ledger.getKey({ accountId, keyId }),
        ledger.sumUsage({ accountId, keyId }),
      ])
      const limitNano = key?.usageLimitNano ?? null
      const isCredit = keyId === null
      return {
        data: {
          // OpenRouter, too, names a key by its ends until somebody names it.
          label: key ? key.label || `sk-…${key.hint}` : 'credit_id',
          limit: usdOf(limitNano),
          limit_remaining: usdOf(limitNano === null ? null : maxNano(0n, limitNano - (key?.usageNano ?? 0n))),
          limit_reset: key && limitNano !== null && key.resetPeriod !== 'none' ? key.resetPeriod : null,
          ...usageOf(sums),
          ...NOTHING_OF_OTHERS,
          is_free_tier: balanceNano === 0n && sums.totalNano === 0n,
          is_management_key: isCredit,
          is_provisioning_key: isCredit,
          expires_at: key?.expiresAt?.toISOString() ?? null,
          rate_limit: NO_LIMIT_TO_PLAN_BY,
        },
      }
    },
  )
}

function usdOf(nano: Nano | null): number | null {
  return nano === null ? null : nanoToUsdNumber(nano)
}

function usageOf({ totalNano, dayNano, weekNano, monthNano }: UsageSums) {
  return {
    usage: nanoToUsdNumber(totalNano),
    usage_daily: nanoToUsdNumber(dayNano),
    usage_weekly: nanoToUsdNumber(weekNano),
    usage_monthly: nanoToUsdNumber(monthNano),
  }
}

const FINISH_REASONS: Readonly<Record<UsageRecord['status'], string | null>> = {
  completed: 'stop',
  stopped: null,
  disconnected: null,
  failed: 'error',
  expired: 'error',
}

function generationOf(id: string, record: UsageRecord): z.output<typeof generationSchema>['data'] {
  const cost = nanoToUsdNumber(record.chargedNano)
  return {
    id,
    upstream_id: record.answerId ?? null,
    model: record.modelId,
    created_at: record.createdAt.toISOString(),
    total_cost: cost,
    usage: cost,
    is_byok: false,
    tokens_prompt: record.inputTokenCount,
    tokens_completion: record.outputTokenCount,
    native_tokens_prompt: record.inputTokenCount,
    native_tokens_completion: record.outputTokenCount,
    native_tokens_reasoning: record.reasoningTokenCount,
    native_tokens_cached: record.cachedInputTokenCount,
    cancelled: record.status === 'stopped' || record.status === 'disconnected',
    latency: record.timeToFirstTokenMs,
    generation_time: record.durationMs,
    finish_reason: FINISH_REASONS[record.status],
    api_type: record.queryType,
    origin: record.querySource,
    data_region: 'global',
    ...UNTOLD_OF_CALL,
  }
}
