import 'server-only'
import type { MeteringLimits } from '../../domain/metering-limits'
import { encodeReplay, type ReplayHead } from './encode-replay'
import type { ReplayStore } from './replay-store'
import { type SealSecret, sealReplay } from './seal-replay'

/** The secrets of those who may read an answer again; they live in memory while the exchange runs. */
export interface ReplayKeys {
  /** Made by the browser; null when a vanished client means a stop. */
  resumeKey: string | null
  /** What the browser calls the exchange before it knows its id; see `resumeNameOf`. */
  resumeName: string | null
  idempotencyKey: string | null
}

/** Keeps an answer, sealed. Failing to is no fault of the answer: it has been delivered. */
export async function keepReplay(
  context: { replayStore: ReplayStore; limits: Pick<MeteringLimits, 'replayTtlSeconds'> },
  input: {
    exchangeId: string
    accountId: string
    replayKeys: ReplayKeys
    head: ReplayHead
    /** Null when the answer was too long to be kept. */
    entries: readonly Buffer[] | null
  },
): Promise<void> {
  const { exchangeId, accountId, replayKeys, head, entries } = input
  const secrets = sealSecrets(replayKeys)
  if (secrets.length === 0 || entries === null) return
  try {
    await context.replayStore.put({
      exchangeId,
      accountId,
      resumeName: replayKeys.resumeName,
      sealed: sealReplay(await encodeReplay(head, entries), { exchangeId, secrets }),
      ttlSeconds: context.limits.replayTtlSeconds,
    })
  } catch (error) {
    process.stderr.write(
      `an answer could not be kept for replay: ${error instanceof Error ? `${error.name}: ${error.message}` : 'unknown'}\n`,
    )
  }
}

function sealSecrets({ resumeKey, idempotencyKey }: ReplayKeys): SealSecret[] {
  return [
    ...(resumeKey === null ? [] : [{ kind: 'resume' as const, secret: resumeKey }]),
    ...(idempotencyKey === null ? [] : [{ kind: 'idempotency' as const, secret: idempotencyKey }]),
  ]
}
