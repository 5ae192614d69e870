import 'server-only'
import { sql } from 'kysely'
import { formatDecimal, ZERO } from '@/lib/money/decimal'
import { isPayable, toNano } from '../domain/convert-amount'
import type { CreateInvoiceInput, CreateInvoiceResult } from '../domain/payments'
import type { PaymentsContext } from './payments-context'
import { nextCheckAt, seconds } from './poll-schedule'
import { toInvoice } from './to-invoice'

/**
 * Asks the gateway for an invoice, then writes it down. A crash in between leaves an invoice at the
 * gateway that nobody has seen, so nobody pays it.
 * @throws GatewayError
 */
export async function createInvoice(
  context: PaymentsContext,
  input: CreateInvoiceInput,
): Promise<CreateInvoiceResult> {
  const { methodId, amount, currency } = input
  const gateway = context.gateways.find(each => each.methods.some(({ id }) => id === methodId))
  const method = gateway?.methods.find(({ id }) => id === methodId)
  if (!gateway || !method) return { outcome: 'unknown_method' }
  if (!method.currencies.includes(currency))
    return { outcome: 'unknown_currency', currencies: method.currencies }
  if (!isPayable(amount, currency)) return { outcome: 'amount_too_fine' }
  const usdPerBitcoin = currency === 'USD' ? null : await gateway.getUsdPerBitcoin()
  const amountNano = toNano(amount, currency, usdPerBitcoin)
  if (amountNano === null) return { outcome: 'rate_unavailable' }
  const { minimumNano, maximumNano, expirySeconds } = method
  if (amountNano < minimumNano || amountNano > maximumNano)
    return { outcome: 'amount_out_of_range', minimumNano, maximumNano }

  const invoiceId = context.createId()
  const created = await gateway.createInvoice({
    invoiceId,
    methodId,
    amountNano,
    requested: { amount, currency },
    expirySeconds,
    returnUrl: `${input.siteUrl}${input.returnPath ?? '/top-up'}?invoice=${invoiceId}`,
  })
  // A gateway whose clock is so far off that its invoice would be born expired is not believed.
  const expiresAt = sql<Date>`case
    when ${created.expiresAt}::timestamptz > now() then ${created.expiresAt}::timestamptz
    else now() + ${seconds(expirySeconds)} end`
  const row = await context.database.transaction().execute(async transaction => {
    await transaction
      .insertInto('invoice')
      .values({
        id: invoiceId,
        account_id: input.accountId,
        gateway: gateway.id,
        gateway_invoice_id: created.gatewayInvoiceId,
        method: methodId,
        requested_amount: formatDecimal(amount),
        requested_currency: currency,
        amount_nano: amountNano,
        maximum_nano: maximumNano,
        bonus_fraction: formatDecimal(context.bonuses[methodId] ?? ZERO),
        checkout_url: created.checkoutUrl,
        lightning_invoice: created.lightningInvoice,
        bitcoin_address: created.bitcoinAddress,
        bitcoin_due: created.bitcoinDue && formatDecimal(created.bitcoinDue),
        expires_at: expiresAt,
      })
      .execute()
    return transaction
      .updateTable('invoice')
      .set({ next_check_at: nextCheckAt() })
      .where('id', '=', invoiceId)
      .returningAll()
      .executeTakeFirstOrThrow()
  })
  return { outcome: 'created', invoice: toInvoice(row) }
}
