import 'server-only'
import type { WebhookType } from '@/test/stand-ins/btcpay'
import { formatBitcoin, formatUnits, type StandInInvoice } from '@/test/stand-ins/btcpay-invoice'
import type { Invoice } from '../../domain/invoice'
import { decimal } from '../testing'
import type { World } from './world'

type NextBelow = (limit: number) => number

/** Cards twice: they can go furthest, through refunds and disputes. */
const METHODS = ['btc-lightning', 'btc', 'card', 'card'] as const
const PERCENTS = [30n, 50n, 100n, 100n, 100n, 170n, 280n]

export async function orderInvoice(world: World, nextBelow: NextBelow): Promise<void> {
  const account = world.accounts[nextBelow(world.accounts.length)]
  const methodId = METHODS[nextBelow(METHODS.length)]
  if (!account || !methodId) return
  // Now and then so much that a small overpayment exceeds the method's maximum.
  const cents = nextBelow(4) === 0 ? 45_000 : 500 + nextBelow(5_000)
  const result = await world.payments
    .createInvoice({
      accountId: account.accountId,
      methodId,
      amount: decimal((cents / 100).toFixed(2)),
      currency: 'USD',
      siteUrl: 'https://site.test',
    })
    // The gateway is out of order just now.
    .catch(() => null)
  if (result?.outcome === 'created') world.invoices.push(result.invoice)
}

/** Anything that may happen to an invoice at its gateway, with the webhook for it. */
export function actAtGateway(world: World, nextBelow: NextBelow): void {
  const invoice = world.invoices[nextBelow(world.invoices.length)]
  if (invoice?.gatewayId === 'btcpay') actAtBtcpay(world, invoice, nextBelow)
  if (invoice?.gatewayId === 'stripe') actAtStripe(world, invoice, nextBelow)
}

function actAtBtcpay(world: World, { gatewayInvoiceId }: Invoice, nextBelow: NextBelow): void {
  const invoice = world.btcpay.invoice(gatewayInvoiceId)
  const refunds = world.btcpayRefunds.get(gatewayInvoiceId) ?? []
  const isForGood = invoice.payments.length > 0 && invoice.payments.every(each => each.status === 'Settled')
  if (refunds.length > 0 || (isForGood && nextBelow(4) === 0)) {
    if (refunds.length < 4) refundAtBtcpay(world, invoice, nextBelow)
    return
  }
  const isSettled = nextBelow(2) === 0
  if (invoice.payments.length > 0 && nextBelow(2) === 0) invoice.confirm()
  else if (invoice.payments.length < 3) invoice.pay(PERCENTS[nextBelow(PERCENTS.length)] ?? 100n, isSettled)
  const types: WebhookType[] = ['InvoiceReceivedPayment']
  if (invoice.status === 'Settled') types.push('InvoiceSettled')
  if (invoice.status === 'Expired') types.push('InvoiceExpired')
  for (const type of types) {
    world.letters.push({ gatewayId: 'btcpay', sign: () => world.btcpay.webhook(type, gatewayInvoiceId) })
  }
}

/** A part of what was paid, or all that is left of it, in bitcoin or in dollars. */
function refundAtBtcpay(world: World, invoice: StandInInvoice, nextBelow: NextBelow): void {
  const { btcpay, btcpayRefunds, letters } = world
  const refunds = btcpayRefunds.get(invoice.id) ?? []
  const paid = invoice.payments.reduce((sum, { satoshis }) => sum + satoshis, 0n)
  const left = refunds.reduce((sum, { satoshis }) => sum - satoshis, paid)
  const satoshis = nextBelow(3) === 0 ? left : (left * BigInt(1 + nextBelow(99))) / 100n
  const isInDollars = nextBelow(4) === 0
  if (satoshis === 0n) return
  const cents = isInDollars ? BigInt(1 + nextBelow(2_000)) : 0n
  const [currency, amount] = isInDollars
    ? (['USD', formatUnits(cents, 2)] as const)
    : (['BTC', formatBitcoin(satoshis)] as const)
  const id = btcpay.refunds.create(invoice.id, { currency, amount })
  const payoutId = btcpay.refunds.claim(id, amount, formatBitcoin(satoshis), 'Completed')
  btcpayRefunds.set(invoice.id, [...refunds, isInDollars ? { cents, satoshis: 0n } : { cents, satoshis }])
  letters.push({ gatewayId: 'btcpay', sign: () => btcpay.payoutWebhook('PayoutUpdated', payoutId) })
}

function actAtStripe(world: World, { gatewayInvoiceId: id }: Invoice, nextBelow: NextBelow): void {
  const { stripe } = world
  const session = stripe.session(id)
  if (session.status === 'open') {
    const choice = nextBelow(4)
    if (choice === 0) stripe.expire(id)
    else stripe.complete(id, choice === 1 ? 'processing' : 'paid')
    tell(world, choice === 0 ? 'checkout.session.expired' : 'checkout.session.completed', session)
  } else if (session.status === 'complete' && session.payment_status !== 'paid') {
    const isRefused = nextBelow(3) === 0
    if (isRefused) stripe.fail(id)
    else stripe.succeed(id)
    tell(world, `checkout.session.async_payment_${isRefused ? 'failed' : 'succeeded'}`, session)
  } else if (session.payment_status === 'paid') giveBack(world, id, nextBelow)
}

/** Refunds until there is a dispute; then the bank decides. */
function giveBack(world: World, id: string, nextBelow: NextBelow): void {
  const { stripe } = world
  const charge = stripe.charge(id)
  const [dispute] = stripe.disputesOf(id)
  const restCents = charge.amount - charge.amount_refunded
  if (dispute) {
    if (dispute.status !== 'needs_response') return
    dispute.status = nextBelow(2) === 0 ? 'won' : 'lost'
    tell(world, 'charge.dispute.closed', dispute)
  } else if (restCents > 0 && nextBelow(2) === 0) {
    // Now and then the bank also takes what was refunded.
    const cents = nextBelow(3) === 0 ? charge.amount : restCents
    tell(world, 'charge.dispute.created', stripe.dispute(id, cents))
  } else if (charge.amount_refunded > 0 && nextBelow(3) === 0) {
    tell(world, 'refund.updated', stripe.failRefund(id))
  } else if (restCents > 0) {
    tell(world, 'charge.refunded', stripe.refund(id, 1 + nextBelow(restCents)))
  }
}

/** The event contains the object as it is now, however late it arrives. */
function tell({ letters, stripe }: World, type: string, object: object): void {
  const shown = structuredClone(object)
  letters.push({ gatewayId: 'stripe', sign: () => stripe.webhook(type, shown) })
}
