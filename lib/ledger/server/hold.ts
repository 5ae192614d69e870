import 'server-only'
import { randomUUID } from 'node:crypto'
import { minNano, type Nano } from '@/lib/money/nano'
import { checkAmount, checkHash, checkTtlSeconds } from '../domain/check-input'
import type { HoldInput, HoldResult } from '../domain/holds'
import type { PlacedHold } from './hold-messages'
import type { LedgerContext } from './ledger-context'

/**
 * Reserves money for an exchange. The hold's id is made here, so that a repeat after a lost connection
 * finds the first attempt's hold.
 *
 * @throws LedgerError unavailable | invalid_input
 */
export async function hold({
  context,
  input,
}: {
  context: LedgerContext
  input: HoldInput
}): Promise<HoldResult> {
  checkHoldInput(input)
  const { credential, exchange } = input
  const holdId = randomUUID()
  // A minimum above the upper bound of the cost would refuse what the balance affords.
  const minimumNano = minNano(input.minimumNano, input.amountNano)
  const placed = await context.placeHold({
    hold_id: holdId,
    credential_kind: credential.kind,
    secret_hash: credential.secretHash,
    amount_nano: input.amountNano.toString(),
    minimum_nano: minimumNano.toString(),
    least_nano: minNano(input.leastNano, minimumNano).toString(),
    ttl_seconds: input.ttlSeconds,
    idempotency_key_hash: input.idempotencyKeyHash,
    request_hash: input.requestHash,
    query_type: exchange.queryType,
    query_source: exchange.querySource,
    model_id: exchange.modelId,
    price_snapshot: exchange.priceSnapshot,
  })
  return holdResult(placed, { holdId, minimumNano })
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
