import type { Model } from '@/lib/catalogue/domain/model'
import { isObject } from '@/lib/http/domain/is-object'
import { type Decimal, isZero } from '@/lib/money/decimal'

/** Caches of Google's models are paid for by the hour, which no price has. */
const STORES_BY_HOUR = /gemini/i
/** Anthropic's lifetimes. LiteLLM passes on any other to Google, for years if a client likes. */
const USUAL_LIFETIME = '5m'
const LONG_LIFETIME = '1h'

/**
 * A body for a host that is no router, with cache marks only as far as writing to a cache has a price. Elsewhere it
 * would be billed all the same: by Anthropic with a quarter more than other input, or twice as much.
 */
export function withPricedCacheMarks(
  body: Record<string, unknown>,
  models: readonly Model[],
): Record<string, unknown> {
  return remarkedBody(body, pricedMark(models))
}

export function withoutCacheMarks(body: Record<string, unknown>): Record<string, unknown> {
  return remarkedBody(body, noMark)
}

/** Whether a mark is left out of that body, or lasts less long. @param models null if all marks are left out */
export function losesCacheMarks(body: Record<string, unknown>, models: readonly Model[] | null): boolean {
  const allowed = models ? pricedMark(models) : noMark
  let isLost = false
  remarkedBody(body, asked => {
    const mark = allowed(asked)
    if (isObject(asked))
      isLost ||= mark.cache_control === undefined || mark.cache_control.ttl !== (asked.ttl ?? undefined)
    return mark
  })
  return isLost
}

function pricedMark(models: readonly Model[]): Allowed {
  const areAllowed = models.every(
    ({ id, prices }) => isPrice(prices.inputCacheWrite) && !STORES_BY_HOUR.test(id),
  )
  if (!areAllowed) return noMark
  const mayLast = models.every(({ prices }) => isPrice(prices.inputCacheWriteLong))
  return asked => allowedMark(asked, mayLast)
}

const noMark: Allowed = () => ({})

/** Zero means that there is none. */
function isPrice(price: Decimal | null): boolean {
  return price !== null && !isZero(price)
}

type Allowed = (asked: unknown) => { cache_control?: Record<string, unknown> }

function remarkedBody(
  { cache_control: mark, ...body }: Record<string, unknown>,
  allowed: Allowed,
): Record<string, unknown> {
  return {
    ...body,
    ...allowed(mark),
    messages: remarked(body.messages, allowed),
    ...(Array.isArray(body.tools) && { tools: body.tools.map(tool => remarkedTool(tool, allowed)) }),
  }
}

function allowedMark(asked: unknown, mayLast: boolean): ReturnType<Allowed> {
  if (!isObject(asked)) return {}
  const { type, ttl } = asked
  const isKnown = ttl === USUAL_LIFETIME || (ttl === LONG_LIFETIME && mayLast)
  return { cache_control: { type, ...(isKnown && { ttl }) } }
}

/** At any depth, since hosts take over whole parts. */
function remarked(value: unknown, allowed: Allowed): unknown {
  if (Array.isArray(value)) return value.map(item => remarked(item, allowed))
  if (!isObject(value)) return value
  const { cache_control: mark, ...rest } = value
  const fields = Object.entries(rest).map(([name, item]) => [name, remarked(item, allowed)] as const)
  return { ...Object.fromEntries(fields), ...allowed(mark) }
}

/** Not in its schema, where it would be the name of a parameter. */
function remarkedTool(tool: unknown, allowed: Allowed): unknown {
  if (!isObject(tool)) return tool
  const { cache_control: mark, function: called, ...rest } = tool
  const inner = isObject(called) ? remarkedTool(called, allowed) : called
  return { ...rest, ...(inner !== undefined && { function: inner }), ...allowed(mark) }
}
