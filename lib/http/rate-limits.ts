import 'server-only'
import { processWide } from '@/lib/observability/process-wide'
import { ApiError } from './api-error'
import { type ClientAddress, clientAddress } from './client-address'
import { hashSecret } from './credential'

const MINUTE_SECONDS = 60
const HOUR_SECONDS = 3600

interface Limit {
  perAddress: number
  /** For what an account does, whichever addresses it does it from. */
  perAccount?: number
  /** All addresses together. Above it nobody is shut out; who has used much waits longer. */
  global: number
  windowSeconds: number
}

/**
 * What may be done how often. Each figure may be used up at once, and then comes back evenly over the
 * window: whoever was refused waits for the next one, not for the window's end.
 */
const LIMITS = {
  /** An account costs a row for ever; a household behind one address opens a few. */
  account_creation: { perAddress: 20, global: 2_000, windowSeconds: HOUR_SECONDS },
  /** A key costs a row for ever as well. */
  key_creation: { perAddress: 200, perAccount: 60, global: 20_000, windowSeconds: HOUR_SECONDS },
  /** Another period adds up what its key was charged in it; a program may give all its keys another limit. */
  key_change: { perAddress: 600, perAccount: 300, global: 20_000, windowSeconds: HOUR_SECONDS },
  /** Each invoice costs a call to the gateway. */
  invoice_creation: { perAddress: 30, global: 2_000, windowSeconds: HOUR_SECONDS },
  /**
   * Each costs a look at what is offered, which a host or a source of rates may be asked for, a call to the
   * gateway and an account that stays for an hour, and nobody has paid yet. An agent that pays goes on with
   * its token.
   */
  payment_challenge: { perAddress: 60, global: 1_000, windowSeconds: HOUR_SECONDS },
  /**
   * Nobody pays for these, and whose models they are may refuse all of us. A person reads each answer, and
   * asks no more than one every thirty seconds for long.
   */
  free_answer: { perAddress: 60, perAccount: 20, global: 3_000, windowSeconds: 10 * MINUTE_SECONDS },
  /** Counting is work, and nobody pays for it; a tool counts before each question. */
  token_count: { perAddress: 600, perAccount: 300, global: 6_000, windowSeconds: MINUTE_SECONDS },
  /**
   * Each is asked of the sign-in service, which knows all visitors by one address, ours: Supabase allows that
   * 360 new sessions a minute. A person's takes one an hour; an invented cookie one for each page.
   */
  sign_in: { perAddress: 60, global: 240, windowSeconds: MINUTE_SECONDS },
  /** Generous: several tabs poll, and offices share an address. */
  balance_look_up: { perAddress: 240, global: 60_000, windowSeconds: MINUTE_SECONDS },
  /** Each adds up, or looks through, all that an account ever asked; meters poll. */
  usage_sum: { perAddress: 240, perAccount: 120, global: 10_000, windowSeconds: MINUTE_SECONDS },
  /** Nobody types a credit_id wrong thirty times a minute; somebody who guesses does. */
  unknown_credential: { perAddress: 30, global: 6_000, windowSeconds: MINUTE_SECONDS },
  /** Each is a query, or a prompt to count; an agent asks some for each of its steps. */
  agent_call: { perAddress: 240, global: 20_000, windowSeconds: MINUTE_SECONDS },
  /** Two for each page that is opened; offices share an address. */
  telemetry: { perAddress: 240, global: 60_000, windowSeconds: MINUTE_SECONDS },
} as const satisfies Record<string, Limit>

/** Neighbours together may do as much as so many addresses. */
const ADDRESSES_PER_NETWORK = 5
/** While too much is done in all, what is done counts so many times, */
const PRESSURE_FACTOR = 4
/** and of what an address may do at once this part is left: for whoever comes for the first time. */
const FRESH_PART = 1 / 8

/** Who was refused is refused from memory for so long: a flood must not become a flood of queries. */
const REMEMBERED_MS_MAX = 2_000
const REMEMBERED_COUNT_MAX = 10_000
/** Rows of those who have not been here for long say nothing any more. */
const SWEEP_INTERVAL_MS = 60_000
const SWEPT_ROW_COUNT_MAX = 10_000

const MICROSECONDS_PER_SECOND = 1_000_000

export type RateLimitName = keyof typeof LIMITS

export interface RateLimits {
  /** Counts one use; `accountId` where the limit has a figure for accounts. @throws ApiError rate_limited with Retry-After */
  take(name: RateLimitName, headers: Headers, accountId?: string): Promise<void>
}

/** Those of the process, once its services are open: for what asks outside of the API, as pages do. */
export const processRateLimits = () =>
  processWide<{ current: RateLimits | null }>('rate-limits', () => ({ current: null }))

export type SqlQuery = (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>

/**
 * One counter: a bucket that each use fills by `costMicros` and that time empties. Its row keeps the moment
 * at which it is empty, in microseconds, so the database's clock decides, for all processes alike.
 */
interface Scope {
  key: string
  costMicros: number
  /** Above this level it is full. */
  fullMicros: number
  /** It never rises above this one. */
  capMicros: number
  /** Filled by others too. */
  isShared: boolean
  /** A full one refuses everybody, or only those who have used up what a newcomer may. */
  refuses: 'everybody' | 'the busy'
}

export function createRateLimits(input: {
  query: SqlQuery
  onVercel: boolean
  /** Multiplies every limit: the sandbox is for trying things out, by scripts too. */
  factor?: number
  /** Milliseconds that only go forward. */
  now?: () => number
}): RateLimits {
  const now = input.now ?? (() => performance.now())
  const remembered = new Map<string, { until: number; retryAt: number }>()
  let sweptAt = now()

  function refuseRemembered(scopes: readonly Scope[]): void {
    for (const { key } of scopes) {
      const refusal = remembered.get(key)
      if (refusal && refusal.until > now()) throw refused(refusal.retryAt - now())
    }
  }

  function remember(key: string, waitMs: number): void {
    if (remembered.size >= REMEMBERED_COUNT_MAX) remembered.clear()
    remembered.set(key, { until: now() + Math.min(waitMs, REMEMBERED_MS_MAX), retryAt: now() + waitMs })
  }

  /** Within a request, since on Vercel nothing runs between them. What fails is done by the next turn. */
  async function sweepNowAndThen(): Promise<void> {
    if (now() - sweptAt < SWEEP_INTERVAL_MS) return
    sweptAt = now()
    await input.query(SWEEP, [SWEPT_ROW_COUNT_MAX]).catch(() => {})
  }

  return {
    async take(name, headers, accountId) {
      const limit: Limit = LIMITS[name]
      const scopes = scopesOf(name, limit, {
        client: clientAddress(headers, input.onVercel),
        accountId: accountId ?? null,
        factor: input.factor ?? 1,
      })
      refuseRemembered(scopes)
      const [own] = scopes
      const freshCount = Math.ceil(limit.perAddress * (input.factor ?? 1) * FRESH_PART)
      const freshMicros = freshCount * PRESSURE_FACTOR * (own?.costMicros ?? 0)
      const levels = await fill(input.query, scopes, freshMicros)
      await sweepNowAndThen()
      const refusal = findRefusal(scopes, levels, freshMicros)
      if (!refusal) return
      const waitMs = refusal.waitMicros / 1000
      remember(refusal.key, waitMs)
      throw refused(waitMs)
    },
  }
}

/** In the order in which they are filled; the address's own is the first. */
function scopesOf(
  name: RateLimitName,
  limit: Limit,
  { client, accountId, factor }: { client: ClientAddress; accountId: string | null; factor: number },
): Scope[] {
  const windowMicros = limit.windowSeconds * MICROSECONDS_PER_SECOND
  const create = (
    kind: string,
    who: string,
    {
      count,
      growsMicros,
      ...rest
    }: Pick<Scope, 'isShared' | 'refuses'> & { count: number; growsMicros: number },
  ): Scope => {
    const costMicros = Math.ceil(windowMicros / (count * factor))
    const fullMicros = costMicros * count * factor
    return {
      // Hashed: addresses are personal data, and the table needs only to tell them apart.
      key: `${name}/${kind}/${hashSecret(who)}`,
      costMicros,
      fullMicros,
      capMicros: fullMicros + Math.max(growsMicros, costMicros * PRESSURE_FACTOR),
      ...rest,
    }
  }
  // Who goes on although refused waits longer and longer; nobody else's wait grows with it.
  const own = { growsMicros: windowMicros, isShared: false, refuses: 'everybody' } as const
  const shared = { growsMicros: 0, isShared: true, refuses: 'the busy' } as const
  return [
    create('address', client.address, { ...own, count: limit.perAddress }),
    ...(accountId !== null && limit.perAccount !== undefined
      ? [create('account', accountId, { ...own, count: limit.perAccount })]
      : []),
    create('network', client.network, {
      ...shared,
      count: limit.perAddress * ADDRESSES_PER_NETWORK,
      refuses: client.isNetworkOneSite ? 'everybody' : 'the busy',
    }),
    create('all', 'all', { ...shared, count: limit.global }),
  ]
}

/**
 * Fills the scopes one after the other in one statement, as far as none of them refuses; null stands for
 * one that was not reached.
 */
async function fill(
  query: SqlQuery,
  scopes: readonly Scope[],
  freshMicros: number,
): Promise<(number | null)[]> {
  const values: unknown[] = []
  const value = (given: string | number) => {
    values.push(given)
    return typeof given === 'string' ? `$${values.length}::text` : `$${values.length}::bigint`
  }
  const shared = scopes.filter(scope => scope.isShared)
  const isFull = shared.map(
    ({ key, fullMicros, costMicros }) =>
      `(key = ${value(key)} and expire > now + ${value(fullMicros - costMicros)})`,
  )
  const now = '(select now from clock)'
  const passed: string[] = []
  const filled = scopes.map((scope, index) => {
    const { key, costMicros, fullMicros, capMicros, refuses } = scope
    // Who is refused below fills nothing that others share.
    if (scope === shared[0]) passed.push(`(factor = 1 or (select level from s0) <= ${value(freshMicros)})`)
    const where = passed.length === 0 ? '' : `where ${passed.join(' and ')}`
    if (refuses === 'everybody') passed.push(`(select level from s${index}) <= ${value(fullMicros)}`)
    return `s${index} as (
      insert into rate_limit as kept (key, expire)
      select ${value(key)}, now + ${value(costMicros)} * factor from clock, pressure ${where}
      on conflict (key) do update set expire = least(
        greatest(kept.expire, ${now}) + excluded.expire - ${now},
        ${now} + ${value(capMicros)}
      )
      returning expire - ${now} as level
    )`
  })
  const { rows } = await query(
    `with clock as materialized (
      select (extract(epoch from clock_timestamp()) * ${MICROSECONDS_PER_SECOND})::bigint as now
    ), pressure as materialized (
      select case when exists (select from rate_limit, clock where ${isFull.join(' or ')})
        then ${PRESSURE_FACTOR} else 1 end as factor
    ), ${filled.join(', ')}
    select ${scopes.map((_scope, index) => `(select level from s${index})::float8 as s${index}`).join(', ')}`,
    values,
  )
  const row = rows[0] as Record<string, number | null> | undefined
  return scopes.map((_scope, index) => row?.[`s${index}`] ?? null)
}

function findRefusal(
  scopes: readonly Scope[],
  levels: readonly (number | null)[],
  freshMicros: number,
): { key: string; waitMicros: number } | null {
  const [own] = scopes
  const ownLevel = levels[0] ?? 0
  for (const [index, { key, fullMicros, refuses }] of scopes.entries()) {
    const level = levels[index] ?? null
    if (level !== null && level <= fullMicros) continue
    if (level !== null && refuses === 'everybody') return { key, waitMicros: level - fullMicros }
    if (own && ownLevel > freshMicros) return { key: own.key, waitMicros: ownLevel - freshMicros }
  }
  return null
}

const SWEEP = `with clock as (select (extract(epoch from clock_timestamp()) * ${MICROSECONDS_PER_SECOND})::bigint as now)
  delete from rate_limit where expire < (select now from clock) and key in (
    select key from rate_limit where expire < (select now from clock) limit $1
  )`

function refused(waitMs: number): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new ApiError('rate_limited', `Too many requests. Try again in ${retryAfterSeconds} seconds.`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}
