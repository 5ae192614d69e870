import 'server-only'
import { expect } from '@jest/globals'
import { checkLedger } from '@/lib/ledger/server/check-ledger'
import { maxNano, minNano, NANO_PER_CENT, type Nano } from '@/lib/money/nano'
import type { Invoice } from '../../domain/invoice'
import type { World } from './world'

const SATOSHIS_PER_BITCOIN = 100_000_000n

/**
 * Checks that what was paid at the gateways is in the books once, at no more than its value on arrival; that refunds
 * are out once, with their bonus; and that nobody can spend anything else.
 */
export async function audit(world: World): Promise<void> {
  const netByAccount = new Map<string, Nano>()
  for (const { invoiceId } of world.invoices) {
    const invoice = await world.payments.findInvoice({ invoiceId })
    if (!invoice) throw new Error('An invoice is gone.')
    const moved = movementsOf(world, invoice)
    const { leastNano, mostNano } = arrivedAt(world, invoice)
    const limitNano = invoice.maximumNano + (world.approvedNano.get(invoiceId) ?? 0n)
    const lost = { invoiceId, ...moved, leastNano, mostNano }
    // Its value on arrival, and no more than may be credited without approval.
    if (invoice.paidNano > mostNano || invoice.paidNano < leastNano) expect(lost).toBeNull()
    expect({ invoiceId, paid: moved.paid }).toEqual({
      invoiceId,
      paid: minNano(invoice.paidNano, limitNano),
    })
    const back = wantedBack(world, { ...invoice, maximumNano: limitNano }, moved)
    const bonusBack = moved.paid === 0n ? 0n : divideUp(moved.bonus * back, moved.paid)
    expect({ invoiceId, back: moved.back, bonusBack: moved.bonusBack }).toEqual({
      invoiceId,
      back,
      bonusBack,
    })
    const bonusNano = bonusOnArrived(world, invoice, moved.paid)
    expect({ invoiceId, bonus: moved.bonus }).toEqual({ invoiceId, bonus: bonusNano })
    const net = moved.paid + moved.bonus - moved.back - moved.bonusBack
    netByAccount.set(invoice.accountId, (netByAccount.get(invoice.accountId) ?? 0n) + net)
  }
  for (const account of world.accounts) {
    const { accountId } = account
    const net = (netByAccount.get(accountId) ?? 0n) - (world.spentNano.get(accountId) ?? 0n)
    const { balanceNano, debtNano } = (await world.ledger.getBalance(account)) ?? {}
    expect({ accountId, balanceNano, debtNano }).toEqual({
      accountId,
      balanceNano: maxNano(0n, net),
      debtNano: maxNano(0n, -net),
    })
  }
  expect((await checkLedger({ database: world.database })).differences).toEqual([])
}

/**
 * What the ledger was asked to move for an invoice, each reference once; deliberately not read from the invoice's row.
 */
function movementsOf({ moves }: World, { invoiceId }: Invoice) {
  const sum = (source: string, isBack: boolean) =>
    [...moves]
      .filter(([reference, move]) => {
        return (
          move.invoiceId === invoiceId &&
          move.source === source &&
          reference.includes(':reversal:') === isBack
        )
      })
      .reduce((total, [, { amountNano }]) => total + amountNano, 0n)
  return {
    paid: sum('gateway', false),
    bonus: sum('promotion', false),
    back: -sum('gateway', true),
    bonusBack: -sum('promotion', true),
  }
}

/** What the payer really paid, from the stand-in's own records and without any of our code. */
function arrivedAt(
  world: World,
  { gatewayId, gatewayInvoiceId }: Invoice,
): { leastNano: Nano; mostNano: Nano } {
  if (gatewayId === 'stripe') {
    const nano = isPaid(world, gatewayInvoiceId) ? arrivedByCard(world, gatewayInvoiceId) : 0n
    return { leastNano: nano, mostNano: nano }
  }
  const invoice = world.btcpay.invoice(gatewayInvoiceId)
  const settled = invoice.payments.filter(({ status }) => status === 'Settled')
  const inTime = settled.filter(({ receivedDate }) => receivedDate <= invoice.expirationTime)
  const late = settled.filter(each => !inTime.includes(each))
  // The invoice's rate for up to twice the amount due; beyond that, the rate when one of the payments was settled.
  const keptSatoshis = minNano(satoshisOf(inTime), 2n * invoice.satoshisDue)
  const beyondSatoshis = satoshisOf(inTime) - keptSatoshis
  const settledCents = inTime.map(each => each.settledReportedCents ?? 0n)
  const lateNano = late.reduce((sum, each) => sum + worth(each.satoshis, each.lowestReportedCents ?? 0n), 0n)
  const sureNano = worth(keptSatoshis, invoice.centsPerBitcoin) + lateNano
  const beyondNano = (choose: typeof minNano) =>
    settledCents.length === 0 ? 0n : worth(beyondSatoshis, settledCents.reduce(choose))
  // Each payment is rounded to whole satoshis, so that its value may be off by that much.
  const cents = [invoice.centsPerBitcoin, ...settled.map(each => each.settledReportedCents ?? 0n)].reduce(
    maxNano,
  )
  const toleranceNano = worth(BigInt((settled.length + 1) ** 2), cents)
  return {
    leastNano: sureNano + beyondNano(minNano) - toleranceNano,
    mostNano: sureNano + beyondNano(maxNano) + toleranceNano,
  }
}

/** A bonus is given on what came in time; for a card, on everything. */
function bonusOnArrived(world: World, invoice: Invoice, paid: Nano): Nano {
  const { bonusFraction, gatewayId, gatewayInvoiceId, inTimeNano, maximumNano } = invoice
  if (gatewayId === 'btcpay') {
    const { payments, expirationTime } = world.btcpay.invoice(gatewayInvoiceId)
    const settled = payments.filter(({ status }) => status === 'Settled')
    if (settled.every(({ receivedDate }) => receivedDate > expirationTime)) expect(inTimeNano).toBe(0n)
    if (settled.every(({ receivedDate }) => receivedDate <= expirationTime))
      expect(inTimeNano).toBe(invoice.paidNano)
  }
  const base = minNano(minNano(gatewayId === 'stripe' ? paid : inTimeNano, paid), maximumNano)
  return (base * bonusFraction.coefficient) / 10n ** BigInt(bonusFraction.scale)
}

/** What should be taken back; for bitcoin, each part may be rounded up by a nano-dollar. */
function wantedBack(
  world: World,
  { gatewayId, gatewayInvoiceId: id, paidNano, maximumNano }: Invoice,
  moved: { paid: Nano; back: Nano },
): Nano {
  if (gatewayId === 'btcpay') {
    const refunds = world.btcpayRefunds.get(id) ?? []
    const arrived = satoshisOf(world.btcpay.invoice(id).payments)
    const refunded = satoshisOf(refunds)
    const bitcoinNano = refunded === 0n ? 0n : divideUp(paidNano * refunded, arrived)
    const dollarsNano = refunds.reduce((sum, { cents }) => sum + cents * NANO_PER_CENT, 0n)
    const refundNano = minNano(paidNano, bitcoinNano + dollarsNano)
    const back = maxNano(0n, refundNano - maxNano(0n, paidNano - maximumNano))
    const isRounding = moved.back > back && moved.back - back <= BigInt(refunds.length)
    return isRounding ? moved.back : back
  }
  if (gatewayId !== 'stripe' || !isPaid(world, id)) return 0n
  const [dispute] = world.stripe.disputesOf(id)
  const disputedCents = dispute && dispute.status !== 'won' ? dispute.amount : 0
  const refundNano = BigInt(world.stripe.refunded(id).cents) * NANO_PER_CENT
  const beyondNano = maxNano(0n, arrivedByCard(world, id) - maximumNano)
  return minNano(moved.paid, maxNano(0n, refundNano - beyondNano) + BigInt(disputedCents) * NANO_PER_CENT)
}

/** The charge, plus its failed refunds, which count as paid once more. */
function arrivedByCard({ stripe }: World, id: string): Nano {
  return BigInt(stripe.charge(id).amount + stripe.refunded(id).failedCents) * NANO_PER_CENT
}

function isPaid({ stripe }: World, id: string): boolean {
  return stripe.session(id).payment_status === 'paid'
}

function satoshisOf(payments: readonly { satoshis: bigint }[]): bigint {
  return payments.reduce((sum, { satoshis }) => sum + satoshis, 0n)
}

/** Rounded up. */
function worth(satoshis: bigint, centsPerBitcoin: bigint): Nano {
  return divideUp(satoshis * centsPerBitcoin * NANO_PER_CENT, SATOSHIS_PER_BITCOIN)
}

function divideUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator
}
