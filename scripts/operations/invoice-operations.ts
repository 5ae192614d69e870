import { isUuid } from '@/lib/http/domain/uuid'
import { formatDecimal } from '@/lib/money/decimal'
import { formatUsd } from '@/lib/money/nano'
import { excessNano, type Invoice, withShownTotals } from '@/lib/payments/domain/invoice'
import { type Operation, OperationError, type OperationInput } from './operation'
import { requireAmount, requireReason } from './options'

/**
 * `show` prints what is stored here; `recheck` asks the gateway, and credits what has been paid; `waiting` lists the
 * invoices on which more was paid than is credited without approval, and `credit-rest` credits it.
 */
export const invoice: Operation = {
  usage:
    'invoice show|recheck <invoice id> | waiting | credit-rest <invoice id> [--amount <usd>] --reason "…"',
  wordCountMax: 2,
  async run(input) {
    const [name = ''] = input.words
    const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
    if (!verb) throw new OperationError('Say what to do: invoice show …, recheck …, waiting or credit-rest …')
    await verb(input)
  },
}

const VERBS: Record<string, (input: OperationInput) => Promise<void>> = {
  async show(input) {
    const invoiceId = requireInvoiceId(input)
    printInvoice(input, await input.services.payments.findInvoice({ invoiceId }))
  },
  async recheck(input) {
    const invoiceId = requireInvoiceId(input)
    printInvoice(input, await input.services.payments.recheckInvoice({ invoiceId }))
  },
  async waiting({ services, print }) {
    const invoices = await services.payments.listUnderReview()
    for (const each of invoices)
      print(`${each.invoiceId}  ${each.createdAt.toISOString()}  ${formatUsd(excessNano(each))} USD`)
    print(
      `${invoices.length} invoices are waiting: credit the rest (invoice credit-rest …), or refund it at the gateway`,
    )
  },
  async 'credit-rest'(input) {
    const result = await input.services.payments.creditRest({
      invoiceId: requireInvoiceId(input),
      amountNano: input.options.amount === undefined ? null : requireAmount(input),
      operator: input.operator,
      reason: requireReason(input),
    })
    if (result?.approvedNano === 0n) input.print('nothing of this invoice is waiting to be credited')
    else if (result) input.print(`credited ${formatUsd(result.approvedNano)} USD more`)
    printInvoice(input, result?.invoice ?? null)
  },
}

function requireInvoiceId({ words }: OperationInput): string {
  const invoiceId = words[1] ?? ''
  if (!isUuid(invoiceId)) throw new OperationError('Name the invoice by its id.')
  return invoiceId.toLowerCase()
}

function printInvoice({ words, print }: OperationInput, seen: Invoice | null): void {
  if (!seen) throw new OperationError(`There is no invoice ${words[1]}.`)
  const found = withShownTotals(seen)
  const rest = excessNano(found)
  const lines = [
    `invoice   ${found.invoiceId} (${found.gatewayId} ${found.gatewayInvoiceId})`,
    `account   ${found.accountId}`,
    `state     ${found.state}${found.paidLate ? ', paid late' : ''}`,
    `asked     ${formatDecimal(found.requestedAmount)} ${found.requestedCurrency} by ${found.methodId}`,
    `paid      ${formatUsd(found.paidNano)} of ${formatUsd(found.amountNano)} USD`,
    `credited  ${formatUsd(found.creditedNano)} USD and ${formatUsd(found.bonusNano)} USD of bonus`,
    ...(rest > 0n
      ? [
          `waiting   ${formatUsd(rest)} USD above the maximum that is credited automatically: invoice credit-rest …`,
        ]
      : []),
    `refunded  ${formatUsd(found.refundSeenNano)} USD`,
    `taken     ${formatUsd(found.reversedNano)} USD and ${formatUsd(found.reversedBonusNano)} USD of bonus`,
    `created   ${found.createdAt.toISOString()}`,
    `expires   ${found.expiresAt.toISOString()}`,
  ]
  lines.forEach(print)
}
