import 'server-only'
import { decodeReplay } from './encode-replay'
import type { ReplayStore } from './replay-store'
import type { Answer } from './running-exchange'
import { type SealSecret, unsealReplay } from './seal-replay'

/** A kept answer, opened; null when there is none for this account, or the secret does not fit. */
export async function loadReplay(
  replayStore: ReplayStore,
  input: { name: string; accountId: string; secret: SealSecret },
): Promise<{ exchangeId: string; answer: Answer } | null> {
  const stored = await replayStore.find(input.name)
  if (!stored || stored.accountId !== input.accountId) return null
  const { exchangeId } = stored
  const plain = unsealReplay(stored.sealed, { exchangeId, secret: input.secret })
  if (!plain) return null
  const { head, bodyAfter } = await decodeReplay(plain)
  const headers = { 'content-type': head.contentType, 'cache-control': 'no-store' }
  const read: Answer['read'] = ({ afterEvent }) => {
    const body = bodyAfter(head.numbered ? afterEvent : 0)
    return body && new Uint8Array(body)
  }
  return { exchangeId, answer: { status: head.status, headers, read } }
}
