import { formatUsd } from '@/lib/money/nano'
import type { LedgerReport } from './check-ledger'

/** Lines for an operator's terminal. */
export function formatLedgerReport(report: LedgerReport): string[] {
  const totals = [
    `credit of all accounts: ${formatUsd(report.creditNano)} USD`,
    ...Object.entries(report.systemBalancesNano).map(([kind, nano]) => `${kind}: ${formatUsd(nano)} USD`),
  ]
  const sumNano = Object.values(report.systemBalancesNano).reduce(
    (sum, nano) => sum + nano,
    report.creditNano,
  )
  const differences = report.differences.map(
    ({ invariant, subject, expectedNano, actualNano }) =>
      `${subject}: expected ${formatUsd(expectedNano)} USD, found ${formatUsd(actualNano)} USD (${invariant})`,
  )
  return [
    ...totals,
    `all accounts together: ${formatUsd(sumNano)} USD`,
    ...differences,
    isBalanced(report) ? 'The books balance.' : 'THE BOOKS DO NOT BALANCE.',
  ]
}

export function isBalanced(report: LedgerReport): boolean {
  const sumNano = Object.values(report.systemBalancesNano).reduce(
    (sum, nano) => sum + nano,
    report.creditNano,
  )
  return sumNano === 0n && report.differences.length === 0
}
