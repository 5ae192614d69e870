import { isObject } from '@/lib/http/domain/is-object'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { parseStored } from '@/lib/local/storage/json'
import { withLock } from '@/lib/local/storage/locks'
import { CONTINUE_WISH_KEY } from '@/lib/local/storage/storage-keys'
import { createTextStore } from '@/lib/local/storage/text-store'

/** An answer that somebody wants to go on by itself as soon as there is credit for it again. */
export interface ContinueWish {
  readonly answerId: string
  readonly modelId: string
  /** Whose credit it is about: none that comes into the browser meanwhile pays for it. */
  readonly creditSegment: string
  /** Dollars that were left; with more than that it goes on. */
  readonly leftUsd: number
  /** What was ordered for it; null before. */
  readonly invoiceId: string | null
  /** Epoch milliseconds. */
  readonly askedAtMs: number
}

/** Bitcoin's own payments may take a day; later it is hardly still meant. */
const WISH_MS_MAX = 3 * 24 * 60 * 60_000

/** The wish as it is kept, one for the browser: the last one that was said. */
export const continueWishStore = createTextStore(guardedStorage, CONTINUE_WISH_KEY, text => text)

export function parseContinueWish(text: string | null, nowMs: number): ContinueWish | null {
  const stored = parseStored(text)
  if (!isObject(stored)) return null
  const { answerId, modelId, creditSegment, leftUsd, invoiceId, askedAtMs } = stored
  if (typeof answerId !== 'string' || typeof modelId !== 'string') return null
  if (typeof creditSegment !== 'string' || typeof leftUsd !== 'number') return null
  if (typeof askedAtMs !== 'number' || nowMs - askedAtMs > WISH_MS_MAX) return null
  const ordered = typeof invoiceId === 'string' ? invoiceId : null
  return { answerId, modelId, creditSegment, leftUsd, invoiceId: ordered, askedAtMs }
}

export function writeContinueWish(wish: ContinueWish): void {
  continueWishStore.write(JSON.stringify(wish))
}

/** True for one tab alone: what several of them show is gone on with once. */
export function takeContinueWish(answerId: string): Promise<boolean> {
  return withLock(CONTINUE_WISH_KEY, async () => {
    const isMine = parseContinueWish(continueWishStore.getSnapshot(), 0)?.answerId === answerId
    if (isMine) continueWishStore.remove()
    return isMine
  })
}
