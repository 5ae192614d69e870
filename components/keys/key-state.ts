import type { KeyView } from '@/lib/ledger/client/api-key'

export type KeyState = 'active' | 'limitReached' | 'expired' | 'revoked'

/** What a key can still do. Revoked for good comes before expired, which an edit can undo. */
export function keyState(
  key: Pick<KeyView, 'revokedAtSeconds' | 'expiresAtSeconds' | 'usageLimitUsd' | 'usageUsd'>,
  nowMs: number,
): KeyState {
  if (key.revokedAtSeconds !== null) return 'revoked'
  if (key.expiresAtSeconds !== null && key.expiresAtSeconds * 1000 <= nowMs) return 'expired'
  return key.usageLimitUsd !== null && key.usageUsd >= key.usageLimitUsd ? 'limitReached' : 'active'
}
