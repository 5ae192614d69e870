import { expect } from '@jest/globals'
import type { AsyncCommand } from 'fast-check'
import { checkLedger } from '../check-ledger'
import { isBalanced } from '../format-ledger-report'
import { type RealLedger, serverOf } from './real-ledger'
import type { ReferenceLedger } from './reference-ledger'

export type Step = AsyncCommand<ReferenceLedger, RealLedger>

/** A command that, once done, compares all of the ledger with the model. */
export function step(
  description: string,
  run: (model: ReferenceLedger, real: RealLedger) => Promise<void>,
  isPossible: (model: Readonly<ReferenceLedger>) => boolean = () => true,
): Step {
  return {
    check: isPossible,
    run: async (model, real) => {
      await run(model, real)
      await compare(model, real)
    },
    toString: () => description,
  }
}

/**
 * Money is conserved, each balance is the sum of its transfers, no hold is resolved twice (all three by
 * recomputing the books), nothing available is negative, and every balance is the model's.
 */
async function compare(model: ReferenceLedger, real: RealLedger): Promise<void> {
  const server = serverOf(real, 0)
  // Asked for together, they are one question to the database.
  const [report, ...balances] = await Promise.all([
    checkLedger({ database: real.database }),
    ...real.accounts.map(account =>
      Promise.all([server.getBalance(account), server.getBalance({ credential: account.keyCredential })]),
    ),
  ])
  expect(report.differences).toEqual([])
  expect(isBalanced(report)).toBe(true)
  expect(report.systemBalancesNano.operator_loss).toBe(-model.lossNano)
  expect(report.debtNano).toBe(model.accounts.reduce((sum, account) => sum + account.debtNano, 0n))
  for (const [number, [balance, balanceOfKey]] of balances.entries()) {
    const { balanceNano, heldNano } = model.account(number)
    const availableNano = balanceNano - heldNano
    const debtNano = model.debtNano(number)
    expect(balance).toMatchObject({ balanceNano, heldNano, availableNano, debtNano })
    expect(balanceNano - heldNano).toBeGreaterThanOrEqual(0n)
    expect(balanceOfKey).toMatchObject({ availableNano: model.availableNano(number, true) })
  }
}
