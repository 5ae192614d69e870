import 'server-only'
import { expect } from '@jest/globals'
import { sql } from 'kysely'
import { checkLedger } from '@/lib/ledger/server/check-ledger'
import { SYSTEM_ACCOUNT_IDS } from '@/lib/ledger/server/system-accounts'
import type { Nano } from '@/lib/money/nano'
import { bonusFor, type Invoice } from '../../domain/invoice'
import type { World } from './world'

const NANO_PER_CENT = 10_000_000n
/** As the stand-in's rate says: 64,392.23 dollars per bitcoin, rounded up to a whole nano-dollar. */
const NANO_PER_SATOSHI = 643_923n

/** Every satoshi and cent that a gateway says arrived is in the books once; what was given back is out once. */
export async function audit(world: World): Promise<void> {
  for (const invoice of world.invoices) {
    const moved = await movementsOf(world, invoice)
    const paid = amountPaid(world, invoice)
    expect({ ...moved, invoiceId: invoice.invoiceId }).toMatchObject({
      invoiceId: invoice.invoiceId,
      bonus: bonusFor((await world.payments.findInvoice(invoice)) ?? invoice),
    })
    expect(distance(moved.paid, paid.nano)).toBeLessThanOrEqual(paid.toleranceNano)
    // What was once told to have arrived stays credited: beside a payment that is still unconfirmed, the
    // gateway's total is rounded otherwise, by less than a satoshi.
    expect(moved.paid).toBeGreaterThanOrEqual(await arrivedAtGateway(world, invoice))
    expect({ invoiceId: invoice.invoiceId, ...givenBack(moved) }).toEqual({
      invoiceId: invoice.invoiceId,
      ...wantedBack(world, invoice, moved),
    })
  }
  expect((await checkLedger({ database: world.database })).differences).toEqual([])
}

interface Movements {
  paid: Nano
  bonus: Nano
  refunded: Nano
  disputed: Nano
  /** Of what was disputed, the part that the person did not have any more. */
  disputeLoss: Nano
  returned: Nano
}

/** What the transfers themselves say; the row of the invoice is not asked. */
async function movementsOf({ database }: World, { invoiceId }: Invoice): Promise<Movements> {
  const { gateway, promotion, operatorLoss } = SYSTEM_ACCOUNT_IDS
  const { rows } = await sql<Record<keyof Movements, bigint>>`
    select
      ${sumWhere(sql`debit_account_id = ${gateway} and memo ->> 'reason' is null`)} as paid,
      ${sumWhere(sql`debit_account_id = ${promotion}`)} as bonus,
      ${sumWhere(sql`credit_account_id = ${gateway} and memo ->> 'reason' = 'refund'`)} as refunded,
      ${sumWhere(sql`credit_account_id = ${gateway} and memo ->> 'reason' = 'dispute'`)} as disputed,
      ${sumWhere(sql`debit_account_id = ${operatorLoss} and memo ->> 'reason' = 'dispute'`)} as "disputeLoss",
      ${sumWhere(sql`debit_account_id = ${gateway} and memo ->> 'reason' = 'dispute won'`)} as returned
    from transfer where memo ->> 'invoice_id' = ${invoiceId}`.execute(database.kysely)
  const row = rows[0]
  if (!row) throw new Error('The transfers could not be summed up.')
  return row
}

function sumWhere(condition: ReturnType<typeof sql>) {
  return sql`coalesce(sum(amount_nano) filter (where ${condition}), 0)::bigint`
}

/** What the gateway says now, as a server started anew reads it. */
async function arrivedAtGateway(world: World, invoice: Invoice): Promise<Nano> {
  const gateway = world.createGateways().find(({ id }) => id === invoice.gatewayId)
  return (await gateway?.fetchInvoice(invoice))?.paidNano ?? 0n
}

/** What the payer really gave, by the stand-in's own notes and none of our code. */
function amountPaid(world: World, { gatewayId, gatewayInvoiceId }: Invoice) {
  if (gatewayId === 'stripe') {
    const cents = isPaid(world, gatewayInvoiceId) ? world.stripe.charge(gatewayInvoiceId).amount : 0
    return { nano: BigInt(cents) * NANO_PER_CENT, toleranceNano: 0n }
  }
  const settled = world.btcpay.invoice(gatewayInvoiceId).payments.filter(({ status }) => status === 'Settled')
  const satoshis = settled.reduce((sum, payment) => sum + payment.satoshis, 0n)
  // A payment is rounded to whole satoshis: so much of it may be counted in the payer's favour.
  return {
    nano: satoshis * NANO_PER_SATOSHI,
    toleranceNano: satoshis + NANO_PER_SATOSHI * BigInt(settled.length),
  }
}

function givenBack({ refunded, disputed, disputeLoss, returned }: Movements) {
  return { refunded, disputed, netDisputed: disputed - disputeLoss - returned }
}

function wantedBack(world: World, { gatewayId, gatewayInvoiceId: id }: Invoice, moved: Movements) {
  if (gatewayId !== 'stripe' || !isPaid(world, id)) return { refunded: 0n, disputed: 0n, netDisputed: 0n }
  const refunded = BigInt(world.stripe.charge(id).amount_refunded) * NANO_PER_CENT
  const [dispute] = world.stripe.disputesOf(id)
  const amountNano = BigInt(dispute?.amount ?? 0) * NANO_PER_CENT
  if (dispute?.status !== 'won')
    return { refunded, disputed: amountNano, netDisputed: amountNano - moved.disputeLoss }
  // A dispute that was over before anybody heard of it took nothing; another one has returned all it took.
  return { refunded, disputed: moved.disputed === 0n ? 0n : amountNano, netDisputed: 0n }
}

function isPaid({ stripe }: World, id: string): boolean {
  return stripe.session(id).payment_status === 'paid'
}

function distance(left: Nano, right: Nano): Nano {
  return left > right ? left - right : right - left
}
