import { LISTED_MONTH_COUNT } from '@/lib/ledger/domain/limits'
import { formatLedgerReport, isBalanced } from '@/lib/ledger/server/format-ledger-report'
import { formatUsd } from '@/lib/money/nano'
import { type Operation, OperationError } from './operation'

const HOLD_COUNT_MAX = 10_000
const INVOICE_COUNT_MAX = 100
const DAY_COUNT_DEFAULT = 30
const DAY_COUNT_MAX = 3_660
const PRUNED_MONTH_COUNT_MAX = 1_200

export const sweepOperation: Operation = {
  usage: 'sweep',
  async run({ services, print }) {
    const swept = await services.ledger.sweep({ holdCountMax: HOLD_COUNT_MAX })
    print(`released ${swept.releasedHoldIds.length} expired holds`)
    const chargedCount = swept.settledHoldIds.length
    if (chargedCount > 0) print(`charged ${chargedCount} more by their last checkpoint`)
  },
}

export const reconcileOperation: Operation = {
  usage: 'reconcile',
  async run({ services, print }) {
    const result = await services.payments.reconcile({ invoiceCountMax: INVOICE_COUNT_MAX })
    print(`checked ${result.checkedCount} invoices, credited ${formatUsd(result.creditedNano)} USD`)
    if (result.failedCount > 0) print(`${result.failedCount} could not be checked; they are tried again`)
  },
}

export const check: Operation = {
  usage: 'check',
  async run({ services, print }) {
    const report = await services.books.check()
    formatLedgerReport(report).forEach(print)
    if (!isBalanced(report)) throw new OperationError('Somebody has to look into the differences above.')
  },
}

export const newReceiptKey: Operation = {
  usage: 'new-receipt-key',
  async run({ services, print }) {
    if (services.settings.receiptKey)
      throw new OperationError('Receipts are signed with RECEIPT_KEY. Set that to another value instead.')
    await services.books.replaceReceiptKey()
    print('the next receipt is signed with a new key; earlier receipts can still be checked')
  },
}

/** For books that have grown large. It may be stopped at any time, and run again. */
export const prune: Operation = {
  usage: `prune [--months ${LISTED_MONTH_COUNT}]     # sums older calls by month; they are no longer listed`,
  async run({ services, options, print }) {
    const monthCount = Number(options.months ?? LISTED_MONTH_COUNT)
    if (
      !Number.isInteger(monthCount) ||
      monthCount < LISTED_MONTH_COUNT ||
      monthCount > PRUNED_MONTH_COUNT_MAX
    ) {
      throw new OperationError(
        `--months expects a whole number from ${LISTED_MONTH_COUNT} (statements reach back that far) to ${PRUNED_MONTH_COUNT_MAX}.`,
      )
    }
    const { before, holdCount } = await services.books.prune({ monthCount })
    print(
      `added ${holdCount} calls from before ${before.toISOString().slice(0, 10)} to the totals of their months`,
    )
  },
}

/** The margin is what the markup adds to the charges, less what could not be charged. */
export const usage: Operation = {
  usage: 'usage [--days 30]',
  async run({ services, options, print }) {
    const dayCountMax = Number(options.days ?? DAY_COUNT_DEFAULT)
    if (!Number.isInteger(dayCountMax) || dayCountMax < 1 || dayCountMax > DAY_COUNT_MAX) {
      throw new OperationError(`--days expects a whole number from 1 to ${DAY_COUNT_MAX}.`)
    }
    const { coefficient, scale } = services.settings.priceMarkup
    const markupPart = coefficient
    const whole = 10n ** BigInt(scale) + coefficient
    print('day         calls  failed  charged USD  loss USD  margin USD (at today’s markup)')
    for (const day of await services.books.usageByDay({ dayCountMax })) {
      const marginNano = (day.chargedNano * markupPart) / whole - day.lossNano
      const amounts = [day.chargedNano, day.lossNano, marginNano].map(formatUsd).join('  ')
      print(`${day.day}  ${day.callCount}  ${day.failedCallCount}  ${amounts}`)
    }
  },
}
