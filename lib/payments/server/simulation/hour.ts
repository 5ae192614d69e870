import 'server-only'
import { openHold, USAGE } from '@/lib/ledger/testing'
import { actAtGateway, orderInvoice } from './payer'
import { Crash, type Letter, type World } from './world'

type NextBelow = (limit: number) => number

const HOUR_SECONDS = 3_600
/** Number of clock steps, and how much happens between two of them. */
const STEP_COUNT = 40
const ACTIONS_PER_STEP_MAX = 6
/** Longer than any interval of the poll schedule within 30 days. */
const POLL_SECONDS_MAX = 12 * HOUR_SECONDS
const ALL = { invoiceCountMax: 1_000 }

/** An hour in which everything that can happen does, and then enough time for all of it to be settled. */
export async function simulateHour(world: World, nextBelow: NextBelow): Promise<void> {
  for (let step = 0; step < STEP_COUNT; step += 1) {
    const actionCount = 1 + nextBelow(ACTIONS_PER_STEP_MAX)
    for (let count = 0; count < actionCount; count += 1) await act(world, nextBelow)
    await world.clock.advance(1 + nextBelow((2 * HOUR_SECONDS) / STEP_COUNT))
    moveRate(world, nextBelow)
  }
  world.btcpay.setDown(false)
  world.btcpay.setRateKnown(true)
  world.crashAt = null
  // No more webhooks arrive. Two checks: the second finishes what a crash left open.
  for (let round = 0; round < 2; round += 1) {
    await world.clock.advance(POLL_SECONDS_MAX + 60)
    await world.payments.reconcile(ALL)
  }
}

/** Up or down by up to a tenth; now and then the rate is unknown. */
function moveRate({ btcpay }: World, nextBelow: NextBelow): void {
  btcpay.setRate((btcpay.rate() * BigInt(900 + nextBelow(201))) / 1000n)
  btcpay.setRateKnown(nextBelow(10) > 0)
}

async function act(world: World, nextBelow: NextBelow): Promise<void> {
  switch (nextBelow(14)) {
    case 0:
    case 1:
      return orderInvoice(world, nextBelow)
    case 2:
    case 3:
    case 4:
      return actAtGateway(world, nextBelow)
    case 5:
    case 6:
      return deliverSome(world, nextBelow)
    case 7:
      await Promise.all([0, 1].map(() => world.payments.reconcile(ALL)))
      return
    case 8:
      return lookUp(world, nextBelow)
    case 9:
      return spend(world, nextBelow)
    case 10:
    case 11:
      world.crashAt = nextBelow(2) === 0 ? 'before' : 'after'
      return
    case 12:
      return approveRest(world)
    default:
      if (nextBelow(2) === 0) world.restart()
      else world.btcpay.setDown(nextBelow(3) === 0)
  }
}

/** Out of order, in parallel, some twice and some never. */
async function deliverSome(world: World, nextBelow: NextBelow): Promise<void> {
  const deliveries: Letter[] = []
  for (let count = nextBelow(6); count > 0 && world.letters.length > 0; count -= 1) {
    const [letter] = world.letters.splice(nextBelow(world.letters.length), 1)
    if (!letter) continue
    const fate = nextBelow(4)
    if (fate === 0) continue
    deliveries.push(letter, ...(fate === 1 ? [letter, letter] : []))
    if (fate === 2) world.letters.push(letter)
  }
  await Promise.all(deliveries.map(letter => deliver(world, letter)))
}

/** A delivery that is answered with an error is repeated. */
async function deliver(world: World, letter: Letter): Promise<void> {
  const { rawBody, headers } = letter.sign()
  try {
    const { outcome } = await world.payments.handleWebhook({
      gatewayId: letter.gatewayId,
      rawBody: new TextEncoder().encode(rawBody),
      headers: new Headers(headers),
    })
    if (outcome === 'absent' || outcome === 'refused') throw new TypeError(`The webhook was ${outcome}.`)
  } catch (error) {
    if (error instanceof TypeError) throw error
    if (error instanceof Crash) world.restart()
    world.letters.push(letter)
  }
}

async function lookUp(world: World, nextBelow: NextBelow): Promise<void> {
  const invoice = world.invoices[nextBelow(world.invoices.length)]
  if (!invoice) return
  const looks = [0, 1, 2].map(() => world.payments.getInvoice(invoice).catch(ignoreCrash))
  await Promise.all(looks)
}

/** So that a refund finds some of the money gone. */
async function spend({ ledger, accounts, spentNano }: World, nextBelow: NextBelow): Promise<void> {
  const account = accounts[nextBelow(accounts.length)]
  const available = account && (await ledger.getBalance(account))?.availableNano
  if (!account || !available) return
  const costNano = (available * BigInt(1 + nextBelow(100))) / 100n
  if (costNano === 0n) return
  const holdId = await openHold(ledger, account.credential, costNano)
  await ledger.settle({ holdId, costNano, usage: USAGE })
  spentNano.set(account.accountId, (spentNano.get(account.accountId) ?? 0n) + costNano)
}

/** The operator reviews what is waiting and has it credited. */
async function approveRest({ payments, approvedNano, invoices }: World): Promise<void> {
  const waiting = await payments.listUnderReview()
  for (const { invoiceId } of invoices.filter(each =>
    waiting.some(one => one.invoiceId === each.invoiceId),
  )) {
    const approve = () =>
      payments
        .creditRest({ invoiceId, amountNano: null, operator: 'ada', reason: 'known' })
        .catch(ignoreCrash)
    await Promise.all([approve(), approve()])
    const invoice = await payments.findInvoice({ invoiceId })
    approvedNano.set(invoiceId, invoice?.approvedNano ?? 0n)
  }
}

function ignoreCrash(error: unknown): null {
  if (error instanceof Crash) return null
  throw error
}
