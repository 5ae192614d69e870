import { formatDecimal } from '@/lib/money/decimal'
import { formatUsd } from '@/lib/money/nano'
import type { Invoice } from '@/lib/payments/domain/invoice'
import { type Operation, OperationError } from './operation'

const UUID_PATTERN = /^[0-9a-f-]{36}$/i

/** `show` reads what is kept here; `recheck` asks the gateway, and credits what it says has arrived. */
export const invoice: Operation = {
  usage: 'invoice show|recheck <invoice id>',
  async run({ services, words, print }) {
    const [verb, invoiceId = ''] = words
    if (!UUID_PATTERN.test(invoiceId)) throw new OperationError('Name the invoice by its id.')
    const found = await findInvoice(verb, invoiceId.toLowerCase(), services.payments)
    if (!found) throw new OperationError(`There is no invoice ${invoiceId}.`)
    invoiceLines(found).forEach(print)
  },
}

function findInvoice(
  verb: string | undefined,
  invoiceId: string,
  payments: Parameters<Operation['run']>[0]['services']['payments'],
): Promise<Invoice | null> {
  if (verb === 'show') return payments.findInvoice({ invoiceId })
  if (verb === 'recheck') return payments.recheckInvoice({ invoiceId })
  throw new OperationError('Say what to do: invoice show … or invoice recheck …')
}

function invoiceLines(found: Invoice): string[] {
  return [
    `invoice   ${found.invoiceId} (${found.gatewayId} ${found.gatewayInvoiceId})`,
    `account   ${found.accountId}`,
    `state     ${found.state}${found.paidLate ? ', paid late' : ''}`,
    `asked     ${formatDecimal(found.requestedAmount)} ${found.requestedCurrency} by ${found.methodId}`,
    `paid      ${formatUsd(found.paidNano)} of ${formatUsd(found.amountNano)} USD`,
    `credited  ${formatUsd(found.creditedNano)} USD and ${formatUsd(found.bonusNano)} USD of bonus`,
    `refunded  ${formatUsd(found.reversedNano)} USD`,
    `created   ${found.createdAt.toISOString()}`,
    `expires   ${found.expiresAt.toISOString()}`,
  ]
}
