import 'server-only'
import type { Ledger } from '../../domain/ledger'

/**
 * Keeps a hold alive until told otherwise. A hold that is no longer open has been given back: going on
 * would be work for nothing, so `onLost` is called.
 */
export function startRenewal(input: {
  ledger: Ledger
  holdId: string
  ttlSeconds: number
  intervalMs: number
  onLost: () => void
}): () => void {
  const { ledger, holdId, ttlSeconds } = input
  const timer = setInterval(renew, input.intervalMs)
  timer.unref()

  async function renew(): Promise<void> {
    try {
      const { renewed } = await ledger.renew({ holdId, ttlSeconds, checkpoint: null })
      if (renewed) return
      clearInterval(timer)
      input.onLost()
    } catch {
      // The ledger is away; the hold lives long enough for the next attempts.
    }
  }
  return () => clearInterval(timer)
}
