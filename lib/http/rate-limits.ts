import 'server-only'
import { processWide } from '@/lib/observability/process-wide'
import { ApiError } from './api-error'
import { type ClientAddress, clientAddress } from './client-address'
import { hashSecret } from './credential'

const MINUTE_SECONDS = 60
const HOUR_SECONDS = 3600

interface Limit {
  perAddress: number
  /** Per account, whatever its addresses. */
  perAccount?: number
  /** For all addresses together. Above it nobody is shut out, but those who have used much wait longer. */
  global: number
  windowSeconds: number
}

/**
 * How often each thing may be done. A limit can be used up at once, and then refills evenly over its window: after a
 * refusal one waits for the next use, not for the end of the window.
 */
const LIMITS = {
  /** Each account is a row for ever; a household behind one address opens a few. */
  account_creation: { perAddress: 20, global: 2_000, windowSeconds: HOUR_SECONDS },
  /** Each key is a row for ever, too. */
  key_creation: { perAddress: 200, perAccount: 60, global: 20_000, windowSeconds: HOUR_SECONDS },
  /** A new period sums up what the key was charged in it; a program may change the limits of all its keys at once. */
  key_change: { perAddress: 600, perAccount: 300, global: 20_000, windowSeconds: HOUR_SECONDS },
  /** Each invoice costs a call to the gateway. */
  invoice_creation: { perAddress: 30, global: 2_000, windowSeconds: HOUR_SECONDS },
  /**
   * Nobody has paid yet, and each one takes a look at the payment methods (which may ask a host or a source of rates),
   * a call to the gateway, and an account that stays for an hour. An agent that pays goes on with its token.
   */
  payment_challenge: { perAddress: 60, global: 1_000, windowSeconds: HOUR_SECONDS },
  /**
   * Nobody pays for these, and their host may refuse this whole site if there are too many. A person reads each answer,
   * and in the long run asks no more than one question every thirty seconds.
   */
  free_answer: { perAddress: 60, perAccount: 20, global: 3_000, windowSeconds: 10 * MINUTE_SECONDS },
  /** Counting takes work that nobody pays for; a tool counts before each question. */
  token_count: { perAddress: 600, perAccount: 300, global: 6_000, windowSeconds: MINUTE_SECONDS },
  /**
   * Each asks the sign-in service, which sees all visitors under our one address: Supabase allows an address 360 new
   * sessions a minute. A person takes one an hour; an invented cookie takes one per page.
   */
  sign_in: { perAddress: 60, global: 240, windowSeconds: MINUTE_SECONDS },
  /** Generous, since several tabs poll and offices share an address. */
  balance_look_up: { perAddress: 240, global: 60_000, windowSeconds: MINUTE_SECONDS },
  /** Each sums up, or searches, all calls that an account ever made; meters poll. */
  usage_sum: { perAddress: 240, perAccount: 120, global: 10_000, windowSeconds: MINUTE_SECONDS },
  /** Nobody types a credit_id wrong once a second; somebody who guesses does, or a program with a revoked key. */
  unknown_credential: { perAddress: 60, global: 6_000, windowSeconds: MINUTE_SECONDS },
  /** Each is a query, or a prompt to count; an agent makes several for each of its steps. */
  agent_call: { perAddress: 240, global: 20_000, windowSeconds: MINUTE_SECONDS },
  /** Two for each page that is opened; offices share an address. */
  telemetry: { perAddress: 240, global: 60_000, windowSeconds: MINUTE_SECONDS },
} as const satisfies Record<string, Limit>

/** A network may do as much as this many addresses. */
const ADDRESSES_PER_NETWORK = 5
/** While a shared limit is exceeded, each use counts this many times, */
const PRESSURE_FACTOR = 4
/** and an address may use only this part of its limit at once, so that newcomers still get through. */
const FRESH_PART = 1 / 8

/** After a refusal, the next ones come from memory for this long: a flood must not become a flood of queries. */
const REMEMBERED_MS_MAX = 2_000
const REMEMBERED_COUNT_MAX = 10_000
/**
 * Rows whose bucket has emptied hold no information any more. While one sweep finds as many as it may delete, the
 * next use is followed by another: whoever has many addresses adds more rows in a minute than one sweep takes away.
 */
const SWEEP_INTERVAL_MS = 60_000
const SWEPT_ROW_COUNT_MAX = 10_000

const MICROSECONDS_PER_SECOND = 1_000_000

export type RateLimitName = keyof typeof LIMITS

export interface RateLimits {
  /**
   * Counts one use; `accountId` where the limit has a figure for accounts.
   * @throws ApiError rate_limited with Retry-After
   */
  take(name: RateLimitName, headers: Headers, accountId?: string): Promise<void>
}

/** The limits of this process, once its services are open: for code outside of the API, such as pages. */
export const processRateLimits = () =>
  processWide<{ current: RateLimits | null }>('rate-limits', () => ({ current: null }))

export type SqlQuery = (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>

/**
 * A leaky bucket: each use fills it by `costMicros`, and time empties it. Its row stores the moment at which it will be
 * empty, in microseconds of the database's clock, which all processes share.
 */
interface Scope {
  key: string
  costMicros: number
  /** The bucket is full above this level. */
  fullMicros: number
  /** The level never rises above this. */
  capMicros: number
  /** Several clients fill it. */
  isShared: boolean
  /** Whether a full bucket refuses everybody, or only clients that have used more than a newcomer may. */
  refuses: 'everybody' | 'the busy'
}

export function createRateLimits(input: {
  query: SqlQuery
  onVercel: boolean
  /** In place of this site's own. */
  limits?: Partial<Record<RateLimitName, Limit>>
  /** Multiplies every limit: the sandbox is for trying things out, also by scripts. */
  factor?: number
  /** Monotonic, in milliseconds. */
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

  /** Within a request, since on Vercel nothing runs between requests. If it fails, the next sweep makes up for it. */
  async function sweepNowAndThen(): Promise<void> {
    if (now() - sweptAt < SWEEP_INTERVAL_MS) return
    sweptAt = now()
    const { rows } = await input.query(SWEEP, [SWEPT_ROW_COUNT_MAX]).catch(() => ({ rows: [] }))
    const [swept] = rows as { count: number }[]
    if (swept?.count === SWEPT_ROW_COUNT_MAX) sweptAt = Number.NEGATIVE_INFINITY
  }

  return {
    async take(name, headers, accountId) {
      const limit: Limit = input.limits?.[name] ?? LIMITS[name]
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

/** In the order in which they are filled; the address's own comes first. */
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
  // A client that goes on although it is refused waits longer and longer, without delaying anybody else.
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
 * Fills the scopes one after the other in one statement, until one refuses. @returns their levels; null for a scope
 * that was not reached
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
    // A client that is refused by its own scope fills none that it shares with others.
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

/** A row that is being filled is skipped, so that a sweep and a use never wait for each other's rows. */
const SWEEP = `with clock as (
    select (extract(epoch from clock_timestamp()) * ${MICROSECONDS_PER_SECOND})::bigint as now
  ), swept as (
    delete from rate_limit where expire < (select now from clock) and key in (
      select key from rate_limit where expire < (select now from clock) limit $1 for update skip locked
    ) returning key
  ) select count(*)::float8 as count from swept`

function refused(waitMs: number): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  const time = `${retryAfterSeconds} second${retryAfterSeconds === 1 ? '' : 's'}`
  return new ApiError('rate_limited', `Too many requests. Try again in ${time}.`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}
