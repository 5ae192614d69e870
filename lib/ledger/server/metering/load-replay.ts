import 'server-only'
import { decodeReplay, type ReplayHead } from './encode-replay'
import type { ReplayStore } from './replay-store'
import { type SealSecret, unsealReplay } from './seal-replay'

export interface KeptReplay {
  exchangeId: string
  head: ReplayHead
  /** What follows so many entries; null when there are fewer. */
  bodyAfter: (entryCount: number) => Buffer | null
}

/** A kept answer, opened; null when there is none for this account, or the secret does not fit. */
export async function loadReplay(
  replayStore: ReplayStore,
  input: { name: string; accountId: string; secret: SealSecret },
): Promise<KeptReplay | null> {
  const stored = await replayStore.find(input.name)
  if (!stored || stored.accountId !== input.accountId) return null
  const { exchangeId } = stored
  const plain = unsealReplay(stored.sealed, { exchangeId, secret: input.secret })
  return plain && { exchangeId, ...(await decodeReplay(plain)) }
}
