import type { Credential } from '@/lib/ledger/domain/accounts'
import type { HoldInput } from '@/lib/ledger/domain/holds'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import { openHold, USAGE } from '@/lib/ledger/testing'

/** What every call costs the ledger. */
export async function holdAndSettle(
  ledger: Ledger,
  credential: Credential,
  overrides: Partial<HoldInput> = {},
): Promise<void> {
  const holdId = await openHold(ledger, credential, 1_000n, overrides)
  await ledger.settle({ holdId, costNano: 700n, usage: USAGE })
}

/** Acts again and again until the time is over. @returns the milliseconds that each took */
export async function actFor(
  seconds: number,
  parallelCount: number,
  act: (number: number) => Promise<unknown>,
): Promise<number[]> {
  const end = performance.now() + seconds * 1_000
  const durations: number[] = []
  let count = 0
  const lane = async () => {
    while (performance.now() < end) {
      const startedAt = performance.now()
      count += 1
      await act(count)
      durations.push(performance.now() - startedAt)
    }
  }
  await Promise.all(Array.from({ length: parallelCount }, lane))
  return durations
}
