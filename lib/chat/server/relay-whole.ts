import 'server-only'
import { COMPLETED } from '@/lib/ledger/server/metering/exchange-stopped'
import { keepReplay } from '@/lib/ledger/server/metering/keep-replay'
import type { Settlement } from '@/lib/ledger/server/metering/resolve-exchange'
import { concludeExchange } from './conclude-exchange'
import { createDeliveredCounter } from './count-delivered'
import type { ExchangeContext } from './exchange-context'
import { chargedUsage } from './final-events'
import type { OpenedAnswer } from './open-answer'
import type { RelayInput } from './relay-stream'

const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' }

/** Settles for an answer in one piece and hands it on with what it cost. */
export async function relayWhole(
  context: ExchangeContext,
  input: RelayInput & { opened: Extract<OpenedAnswer, { kind: 'whole' }> },
): Promise<Settlement> {
  const { body, upstreamId } = input.opened
  const { usage, ...answer } = body
  const counter = createDeliveredCounter()
  counter.count(Buffer.from(JSON.stringify(body.choices)))
  const elapsedMs = Math.round(context.now() - input.startedAtMs)
  const { charge, settlement } = await concludeExchange(context, {
    holdId: input.holdId,
    end: COMPLETED,
    upstreamId,
    generationId: typeof body.id === 'string' ? body.id : null,
    facts: {
      ...input.pricing,
      reports: [usage],
      delivered: counter.delivered(),
      inputTokenCountEstimate: input.inputTokenCountEstimate,
    },
    timing: { durationMs: elapsedMs, timeToFirstTokenMs: elapsedMs },
  })
  const bytes = Buffer.from(JSON.stringify({ ...answer, usage: chargedUsage(charge, settlement) }))
  input.onAnswer({ status: 200, headers: JSON_HEADERS, read: () => bytes })
  const head = { status: 200, contentType: 'application/json', numbered: false }
  const ids = { exchangeId: input.holdId, accountId: input.accountId }
  await keepReplay(context, { ...ids, replayKeys: input.replayKeys, head, entries: [bytes] })
  return settlement
}
