import { formatUsd, type Nano } from '@/lib/money/nano'
import type { LedgerReport } from './check-ledger'

/** Lines for an operator's terminal. */
export function formatLedgerReport(report: LedgerReport): string[] {
  const totals = [
    `credit of all accounts: ${formatUsd(report.creditNano)} USD`,
    `owed by accounts: ${formatUsd(report.debtNano)} USD`,
    ...Object.entries(report.systemBalancesNano).map(([kind, nano]) => `${kind}: ${formatUsd(nano)} USD`),
  ]
  const differences = report.differences.map(
    ({ invariant, subject, expectedNano, actualNano }) =>
      `${subject}: expected ${formatUsd(expectedNano)} USD, found ${formatUsd(actualNano)} USD (${invariant})`,
  )
  return [
    ...totals,
    `all accounts together: ${formatUsd(sumNano(report))} USD`,
    ...differences,
    isBalanced(report) ? 'The books balance.' : 'THE BOOKS DO NOT BALANCE.',
  ]
}

export function isBalanced(report: LedgerReport): boolean {
  return sumNano(report) === 0n && report.differences.length === 0
}

function sumNano({ creditNano, debtNano, systemBalancesNano }: LedgerReport): Nano {
  return Object.values(systemBalancesNano).reduce((sum, nano) => sum + nano, creditNano - debtNano)
}
