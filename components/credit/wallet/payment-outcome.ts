import type { WalletReply } from '@/lib/payments/client/wallet-frame'
import type { WalletProblem } from '@/lib/payments/domain/wallet-top-ups'

/** NIP-47 codes that mean the wallet has not tried to pay. */
const NOT_TRIED: Readonly<Record<string, WalletProblem>> = {
  INSUFFICIENT_BALANCE: 'insufficient_balance',
  QUOTA_EXCEEDED: 'quota_exceeded',
  UNAUTHORIZED: 'unauthorized',
  RESTRICTED: 'unauthorized',
  NOT_IMPLEMENTED: 'unauthorized',
  UNSUPPORTED_ENCRYPTION: 'wallet_error',
  RATE_LIMITED: 'wallet_error',
}

/**
 * What a wallet's reply means for the payment. One that "failed" may have timed out and still arrive, and so may one
 * without a reply: its outcome is unknown.
 */
export function paymentOutcome(
  reply: WalletReply,
): { outcome: 'paid' } | { outcome: 'unpaid' | 'unknown'; problem: WalletProblem } {
  if (reply.kind === 'paid') return { outcome: 'paid' }
  if (reply.kind === 'unreachable') return { outcome: 'unpaid', problem: 'unreachable' }
  if (reply.kind !== 'refused') return { outcome: 'unknown', problem: 'no_answer' }
  const problem = Object.hasOwn(NOT_TRIED, reply.code) ? NOT_TRIED[reply.code] : undefined
  if (problem) return { outcome: 'unpaid', problem }
  return { outcome: 'unknown', problem: reply.code === 'PAYMENT_FAILED' ? 'payment_failed' : 'wallet_error' }
}
