import { isObject } from '@/lib/http/domain/is-object'
import { createEntryStore } from '@/lib/local/storage/entry-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { parseStored } from '@/lib/local/storage/json'
import { withLock } from '@/lib/local/storage/locks'
import { CONTINUE_WISH_KEY } from '@/lib/local/storage/storage-keys'

/** An answer that the person wants to be continued automatically once there is credit again. */
export interface ContinueWish {
  readonly answerId: string
  readonly modelId: string
  /** The credit that the wish is for; another credit in this browser must not pay for it. */
  readonly creditSegment: string
  /** The balance in dollars at the time; the answer continues once there is more. */
  readonly leftUsd: number
  /** The invoice that was ordered for it; null before that. */
  readonly invoiceId: string | null
  /** In milliseconds since 1970. */
  readonly askedAtMs: number
}

/** On-chain Bitcoin payments may take a day; after this long the wish is probably outdated. */
const WISH_MS_MAX = 3 * 24 * 60 * 60_000

/** The stored wish. There is one per browser, the latest. */
export const continueWishStore = createEntryStore(guardedStorage, CONTINUE_WISH_KEY, parseWish)

function parseWish(text: string | null): ContinueWish | null {
  const stored = parseStored(text)
  if (!isObject(stored)) return null
  const { answerId, modelId, creditSegment, leftUsd, invoiceId, askedAtMs } = stored
  if (typeof answerId !== 'string' || typeof modelId !== 'string') return null
  if (typeof creditSegment !== 'string' || typeof leftUsd !== 'number') return null
  if (typeof askedAtMs !== 'number' || Date.now() - askedAtMs > WISH_MS_MAX) return null
  const ordered = typeof invoiceId === 'string' ? invoiceId : null
  return { answerId, modelId, creditSegment, leftUsd, invoiceId: ordered, askedAtMs }
}

export function writeContinueWish(wish: ContinueWish): void {
  continueWishStore.write(JSON.stringify(wish))
}

/** True for one tab only, since several tabs may show the answer, and it must be continued once. */
export function takeContinueWish(answerId: string): Promise<boolean> {
  return withLock(CONTINUE_WISH_KEY, async () => {
    const isMine = continueWishStore.getSnapshot()?.answerId === answerId
    if (isMine) continueWishStore.remove()
    return isMine
  })
}
