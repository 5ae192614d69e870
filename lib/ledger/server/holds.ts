import 'server-only'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { KeptCheckpoint } from '@/lib/db/schema'
import type { Verbs } from '@/lib/host-mode/domain/contract'
import { isUuid } from '@/lib/http/domain/uuid'
import type { Nano } from '@/lib/money/nano'
import { checkAmount, checkCount, checkHash, checkTtlSeconds } from '../domain/check-input'
import type {
  Checkpoint,
  HOLD_VERBS,
  HoldInput,
  HoldResult,
  ReleaseInput,
  RenewInput,
  SettleInput,
  SettleResult,
  SweepResult,
} from '../domain/holds'
import type { UsageDetail } from '../domain/usage'
import { askDatabase } from './ask-database'
import type { LedgerContext, PlacedHold, ResolvedHold } from './ledger-context'

/**
 * How long a call that cost nothing stays listed. Each is a row that nobody paid for, so they must not pile up. A month
 * is enough to see what failed, and no retry comes later than that.
 */
const FREE_CALL_RETENTION_DAYS = 30

/** The usage of a hold whose owner died without a checkpoint. */
const EXPIRED: UsageDetail = {
  status: 'expired',
  errorCode: 'hold_expired',
  inputTokenCount: 0,
  cachedInputTokenCount: 0,
  outputTokenCount: 0,
  reasoningTokenCount: 0,
  estimated: false,
  costBasis: 'none',
  upstreamId: null,
  durationMs: 0,
  timeToFirstTokenMs: null,
}

export function holdVerbs(context: LedgerContext): Verbs<typeof HOLD_VERBS> {
  return {
    hold: input => hold(context, input),
    renew: input => renew(context, input),
    settle: input => settle(context, input),
    release: input => release(context, input),
    sweep: input => sweep(context, input),
  }
}

/**
 * Reserves money for an exchange. The hold's id is generated here, so that a repeat after a lost connection finds the
 * hold of the first attempt.
 *
 * @throws LedgerError unavailable | invalid_input
 */
async function hold(context: LedgerContext, input: HoldInput): Promise<HoldResult> {
  checkHoldInput(input)
  const { credential, exchange } = input
  const holdId = uuidInOrder()
  const placed = await context.placeHold({
    hold_id: holdId,
    credential_kind: credential.kind,
    secret_hash: credential.secretHash,
    amount_nano: input.amountNano.toString(),
    minimum_nano: input.minimumNano.toString(),
    least_nano: input.leastNano.toString(),
    ttl_seconds: input.ttlSeconds,
    idempotency_key_hash: input.idempotencyKeyHash,
    request_hash: input.requestHash,
    query_type: exchange.queryType,
    query_source: exchange.querySource,
    model_id: exchange.modelId,
    price_snapshot: exchange.priceSnapshot,
    key_routing: input.keyRouting ?? null,
  })
  return holdResult(placed, { holdId, minimumNano: input.minimumNano })
}

/**
 * A UUID of version 7: the time, then 74 random bits. Such ids are appended to the end of an index, while random ones
 * each touch another page: in large books that was a fifth of all that a hold writes.
 */
function uuidInOrder(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

function checkHoldInput(input: HoldInput): void {
  checkAmount(input.amountNano, 'the amount')
  checkAmount(input.minimumNano, 'the minimum')
  checkAmount(input.leastNano, 'the least')
  checkTtlSeconds(input.ttlSeconds)
  checkHash(input.credential.secretHash, 'the credential')
  checkHash(input.requestHash, 'the request')
  if (input.idempotencyKeyHash !== null) checkHash(input.idempotencyKeyHash, 'the idempotency key')
}

function holdResult(placed: PlacedHold, asked: { holdId: string; minimumNano: Nano }): HoldResult {
  switch (placed.outcome) {
    case 'unknown_credential':
      return { outcome: 'unknown_credential' }
    case 'insufficient_credit':
    case 'key_limit_reached':
      return {
        outcome: placed.outcome,
        availableNano: BigInt(placed.available_nano),
        requiredNano: asked.minimumNano,
      }
    case 'loss_limit_reached':
      return { outcome: 'loss_limit_reached', retryAfterSeconds: placed.retry_after_seconds }
    case 'other_routing':
      return { outcome: 'other_routing', keyRouting: placed.key_routing }
    case 'duplicate':
      return {
        outcome: 'duplicate',
        holdId: placed.hold_id,
        accountId: placed.account_id,
        sameRequest: placed.same_request,
        state: placed.state,
      }
    case 'held':
      return {
        outcome: 'held',
        holdId: asked.holdId,
        accountId: placed.account_id,
        keyId: placed.key_id,
        amountNano: BigInt(placed.amount_nano),
      }
  }
}

/**
 * Extends an open hold to `ttlSeconds` from now, by the database's clock, and never shortens it. A hold that has
 * expired but was not swept yet is still open, and is extended, too. Of two checkpoints the one with the greater cost
 * stays, since a renewal may be repeated, and overtaken by a later one.
 *
 * @throws LedgerError unavailable | invalid_input
 */
async function renew(context: LedgerContext, input: RenewInput): Promise<{ renewed: boolean }> {
  const { holdId, ttlSeconds, checkpoint } = input
  checkTtlSeconds(ttlSeconds)
  if (checkpoint) checkAmount(checkpoint.costNano, 'the cost so far')
  if (checkpoint?.absorbedNano) checkAmount(checkpoint.absorbedNano, 'the loss so far')
  if (!isUuid(holdId)) return { renewed: false }
  const { numUpdatedRows } = await askDatabase(() =>
    context.database.kysely
      .updateTable('hold')
      .set({
        expires_at: sql`greatest(expires_at, clock_timestamp() + make_interval(secs => ${ttlSeconds}))`,
        ...(checkpoint && { checkpoint: laterCheckpoint(checkpoint) }),
      })
      .where('id', '=', holdId)
      .where('state', '=', 'open')
      .executeTakeFirstOrThrow(),
  )
  return { renewed: numUpdatedRows > 0n }
}

function laterCheckpoint({ costNano, absorbedNano = 0n, usage }: Checkpoint) {
  const amounts = { cost_nano: costNano.toString(), absorbed_nano: absorbedNano.toString() }
  const later = JSON.stringify({ ...amounts, usage } satisfies KeptCheckpoint)
  return sql<KeptCheckpoint>`case
    when (checkpoint ->> 'cost_nano')::bigint > ${costNano} then checkpoint
    else ${later}::jsonb
  end`
}

/**
 * Ends a hold at its cost, exactly once. A cost of zero charges nothing and leaves no transfer.
 *
 * @throws LedgerError unavailable | invalid_input
 */
async function settle(context: LedgerContext, input: SettleInput): Promise<SettleResult> {
  const { absorbedNano = 0n } = input
  checkAmount(input.costNano, 'the cost')
  checkAmount(absorbedNano, 'the loss')
  return resolveHold(context, { ...input, absorbedNano, state: 'settled' })
}

/** Ends a hold at no cost to its account, exactly once; the exchange is listed at zero. @throws LedgerError */
async function release(context: LedgerContext, input: ReleaseInput): Promise<SettleResult> {
  const { holdId, usage, absorbedNano = 0n } = input
  checkAmount(absorbedNano, 'the loss')
  return resolveHold(context, { holdId, usage, absorbedNano, state: 'released', costNano: 0n })
}

interface ResolveHoldInput {
  holdId: string
  state: 'settled' | 'released'
  costNano: Nano
  absorbedNano: Nano
  usage: UsageDetail
}

/** Shared by settle and release. */
async function resolveHold(context: LedgerContext, input: ResolveHoldInput): Promise<SettleResult> {
  if (!isUuid(input.holdId)) return { outcome: 'unknown_hold' }
  const resolved = await context.resolveHold({
    hold_id: input.holdId,
    state: input.state,
    cost_nano: input.costNano.toString(),
    absorbed_nano: input.absorbedNano.toString(),
    usage: input.usage,
  })
  if (resolved.outcome === 'unknown_hold') return { outcome: 'unknown_hold' }
  const chargedNano = BigInt(resolved.charged_nano)
  const balanceNano = BigInt(resolved.balance_nano)
  if (resolved.outcome === 'resolved')
    return { outcome: 'resolved', chargedNano, lossNano: BigInt(resolved.loss_nano), balanceNano }
  const late = resolved.loss_nano === undefined ? {} : { lossNano: BigInt(resolved.loss_nano) }
  return { outcome: 'already_resolved', state: resolved.state, chargedNano, ...late, balanceNano }
}

/**
 * Ends expired holds, the oldest first, and deletes old calls that cost nothing. Each hold is ended by itself: a batch
 * in one transaction would keep the locks of many accounts for as long as all of them take. Expired holds are found
 * by `statement_timestamp()`, which an index scan can stop at; by `clock_timestamp()` PostgreSQL would read every row.
 *
 * @throws LedgerError unavailable | invalid_input
 */
async function sweep(context: LedgerContext, input: { holdCountMax: number }): Promise<SweepResult> {
  checkCount(input.holdCountMax, 'holdCountMax')
  const expired = await askDatabase(() =>
    context.database.kysely
      .selectFrom('hold')
      .select('id')
      .where('state', '=', 'open')
      .where('expires_at', '<=', sql<Date>`statement_timestamp()`)
      .orderBy('expires_at')
      .limit(input.holdCountMax)
      .execute(),
  )
  const swept: SweepResult = { releasedHoldIds: [], settledHoldIds: [] }
  for (const { id } of expired) {
    const ended = await endExpired(context, id)
    if (ended.outcome === 'resolved') swept[`${ended.state}HoldIds`].push(id)
  }
  await deleteFreeCalls(context, input.holdCountMax)
  return swept
}

/** Deletes released holds without a loss, since no transfer and no usage of a key refers to them. */
async function deleteFreeCalls({ database }: LedgerContext, holdCountMax: number): Promise<void> {
  await askDatabase(() =>
    database.kysely
      .deleteFrom('hold')
      .where('id', 'in', forgettable =>
        forgettable
          .selectFrom('hold')
          .select('id')
          .where('state', '=', 'released')
          .where('loss_nano', '=', 0n)
          .where(
            sql<boolean>`resolved_at < statement_timestamp() - make_interval(days => ${FREE_CALL_RETENTION_DAYS})`,
          )
          .orderBy('resolved_at')
          .limit(holdCountMax)
          .forUpdate()
          .skipLocked(),
      )
      .execute(),
  )
}

/** Ends a hold unless it was renewed since it was found to have expired. */
export function endExpired(context: LedgerContext, holdId: string): Promise<ResolvedHold> {
  return context.resolveHold({ hold_id: holdId, state: 'expired', cost_nano: '0', usage: EXPIRED })
}
