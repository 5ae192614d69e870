import { LIMITED_PRICES } from '@/lib/catalogue/domain/model'
import { fieldsOf, isObject, listOf } from '@/lib/http/domain/is-object'
import { type Decimal, toNumber } from '@/lib/money/decimal'
import { type Nano, nanoToUsdNumber } from '@/lib/money/nano'
import type { UpstreamDialect } from '@/lib/upstream/upstream-dialect'
import { withoutCacheMarks, withPricedCacheMarks } from './cache-marks'
import { type ChatRequest, isSearchTool } from './contract'
import { withParserWithinBound } from './file-parser'
import { namedOutputLimit } from './output-limits'
import { type ChatPlan, type ChatTerms, stepsOf, TOKENS_PER_SEARCH_RESULT } from './plan'
import { listedPrice, priceLimitOf } from './price-limits'

/** Fields that only a router understands. */
export const ROUTING_FIELDS = ['provider', 'transforms', 'route', 'plugins'] as const

/**
 * The client's own request with what billing needs: output, searches and prices are limited to what is held, and
 * usage is asked for. Every other field of the contract is passed on as it came.
 */
export function upstreamBody(
  request: ChatRequest,
  input: {
    plan: ChatPlan
    terms: ChatTerms
    heldNano: Nano
    priceMarkup: Decimal
    dialect: UpstreamDialect
    /** It came in another dialect, so that its client does not know the fields that it was translated to. */
    isTranslated: boolean
  },
): Record<string, unknown> {
  const { dialect, plan, terms } = input
  const { max_tokens: _limit, max_completion_tokens: _newerLimit, ...rest } = request
  const body: Record<string, unknown> = { ...rest, ...outputLimits(request, input) }
  if (request.stream === true) body.stream_options = { include_usage: true }
  if (request.service_tier === 'auto') body.service_tier = 'default'
  if (terms.search) {
    body.tools = (request.tools ?? []).map(tool => (isSearchTool(tool) ? limitSearch(tool, terms) : tool))
    body.stop_server_tools_when = [
      { type: 'step_count_is', step_count: stepsOf(terms.search) },
      // In the upstream's prices, without our markup.
      {
        type: 'max_cost',
        max_cost_in_dollars: nanoToUsdNumber(input.heldNano) / (1 + toNumber(input.priceMarkup)),
      },
    ]
  }
  if (dialect.reportsCost) body.usage = { include: true }
  if (!dialect.routes) {
    for (const field of ROUTING_FIELDS) delete body[field]
    return input.isTranslated ? forPlainHost(body) : withPricedCacheMarks(body, plan.models)
  }
  body.provider = { ...request.provider, max_price: priceLimit(request, plan, input.priceMarkup) }
  const takesFiles = plan.models.every(({ inputModalities }) => inputModalities.includes('file'))
  return withParserWithinBound(body, request, takesFiles)
}

/**
 * Removes what a router understands and other hosts may refuse: the effort is sent under OpenAI's name; reasoning
 * budgets, past reasoning and cache marks are not sent.
 */
function forPlainHost({ reasoning, verbosity: _verbosity, ...body }: Record<string, unknown>) {
  const effort = isObject(reasoning) ? reasoning.effort : undefined
  const unmarked = withoutCacheMarks(body)
  return {
    ...unmarked,
    ...(typeof effort === 'string' && { reasoning_effort: effort }),
    messages: listOf(unmarked.messages).map(withoutThoughts),
  }
}

function withoutThoughts(message: unknown): unknown {
  if (!isObject(message)) return message
  const { reasoning_details: _thoughts, ...rest } = message
  return rest
}

/** OpenAI's models refuse the older name, also behind a host that passes on whatever it gets. */
const REFUSES_OLDER_NAME = /((?<![a-z\d])gpt-?([5-9]|1\d)|(^|[/:.])o[1-9])(?!\d)/i

/**
 * Under one name: a host that knows the newer one may refuse both together, and one that does not know it may ignore
 * it, as DeepSeek does, and write without a limit.
 */
function outputLimits(
  request: ChatRequest,
  {
    plan,
    terms: { outputTokenCountMax },
    dialect: { outputLimitField, routes, thinkingBudgetUsual },
  }: { plan: ChatPlan; terms: ChatTerms; dialect: UpstreamDialect },
): Record<string, unknown> {
  // A router takes either.
  const isNewer = request.max_tokens == null && !routes && REFUSES_OLDER_NAME.test(request.model)
  const field = isNewer ? 'max_completion_tokens' : outputLimitField
  // Reasoning counts towards what is held for.
  const thought = Math.min(plan.thoughtTokenCountMax, Math.floor(outputTokenCountMax / 2))
  const written = Math.max(1, outputTokenCountMax - thought)
  const isAsked = typeof request.reasoning?.max_tokens === 'number' && thought > 0
  return {
    [field]: Math.min(namedOutputLimit(request) ?? written, written),
    ...(isAsked && { reasoning: { ...request.reasoning, max_tokens: thought } }),
    ...(thinkingBudgetUsual !== null && plan.mayThink && { thinking_budget: thinkingBudget(thought) }),
  }
}

/** What SiliconFlow accepts. Less is held for only where very little is affordable. */
function thinkingBudget(tokenCount: number): number {
  return Math.min(32_768, Math.max(128, tokenCount))
}

/**
 * Limits a search, by an engine that obeys: for a model's own search OpenRouter ignores both limits of the results.
 * https://openrouter.ai/docs/guides/features/server-tools/web-search
 */
function limitSearch(tool: Record<string, unknown>, { search }: ChatTerms): Record<string, unknown> {
  const parameters = fieldsOf(tool.parameters)
  return {
    ...tool,
    parameters: {
      ...parameters,
      engine: 'exa',
      max_uses: search?.searchCount,
      max_results: search?.resultCount,
      // In most scripts a character is at most one token.
      max_characters: TOKENS_PER_SEARCH_RESULT,
    },
  }
}

/**
 * The most that a host chosen by the upstream may charge: the prices that the hold was calculated with, or the
 * payer's lower limit, without this site's markup.
 */
export function priceLimit(
  request: Pick<ChatRequest, 'provider'>,
  { models, priceFactor }: Pick<ChatPlan, 'models' | 'priceFactor'>,
  priceMarkup: Decimal,
): Record<string, number> {
  const limits = LIMITED_PRICES.map(name => {
    const held = Math.max(...models.map(({ prices }) => toNumber(listedPrice(prices, name)))) * priceFactor
    const wanted = priceLimitOf(request, name)
    const limit = wanted ? Math.min(held, toNumber(wanted)) : held
    // Slightly more, so that rounding does not exclude the listed price itself.
    return [name, (limit / (1 + toNumber(priceMarkup))) * 1.000_001]
  })
  return Object.fromEntries(limits)
}
