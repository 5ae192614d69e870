import { getTopUp, listPaymentMethods, orderTopUp } from '@/lib/api/client/top-ups'
import type { InvoiceStatus } from '@/lib/api/contracts/invoices'
import { errorCodeOf } from '@/lib/http/client/call-api'
import { creditIdStore, ofCredit } from '@/lib/local/credit-id'
import { parseStored } from '@/lib/local/storage/json'
import { walletRecord } from '@/lib/local/wallet/wallet-stores'
import { readBolt11 } from '@/lib/payments/domain/bolt11'
import { MILLISATOSHIS_PER_BITCOIN } from '@/lib/payments/domain/payment-method'
import { isFairAmount, isPlausibleRate } from '@/lib/payments/domain/wallet-rules'
import {
  advance,
  nextStep,
  parseWalletTopUps,
  type ServerReport,
  spentCents,
  type WalletEvent,
  type WalletProblem,
  type WalletReport,
  type WalletTopUps,
} from '@/lib/payments/domain/wallet-top-ups'
import { balanceSource, refreshBalance } from '../balance-store'
import { paymentOutcome } from './payment-outcome'
import { askOwnWallet, isWalletUnlocked } from './wallet'

/** What the tab that made a payment reports to the person. */
export type TopUpReport =
  | {
      readonly kind: 'credited'
      readonly cents: number
      readonly spentCents: number
      readonly dayCents: number
    }
  | { readonly kind: 'problem'; readonly problem: WalletProblem; readonly isOff: boolean }

type Report = (message: TopUpReport) => void

const ACTING_LOCK = 'tuppence-wallet-acting'

/** Without Web Locks two tabs could pay at once, so automatic payment is off. */
export function canPayByItself(): boolean {
  return typeof navigator !== 'undefined' && 'locks' in navigator
}

export function readTopUps(text = walletRecord.getSnapshot()): WalletTopUps {
  return parseWalletTopUps(parseStored(text))
}

/** Applies an event and stores the new state. Null if nothing changed, or the change could not be stored. */
export async function recordTopUpEvent(event: WalletEvent): Promise<WalletTopUps | null> {
  let after: WalletTopUps | null = null
  const isWritten = await walletRecord.change(stored => {
    const before = parseWalletTopUps(stored)
    const changed = advance(before, event, Date.now())
    after = changed === before ? null : changed
    return after
  })
  return isWritten ? after : null
}

/** The credit that the wallet may fill; null if that is not the credit of this browser. */
export function allowedCredit(
  { rules }: Pick<WalletTopUps, 'rules'>,
  creditId = creditIdStore.getSnapshot(),
): string | null {
  return ofCredit(rules, creditId) && creditId
}

/** Records that the balance has crossed the limit, once the server has just confirmed it. */
export async function noteBalance(shownUsd: number, report: Report): Promise<void> {
  const state = readTopUps()
  const creditId = allowedCredit(state)
  if (!creditId || !state.rules || !canPayByItself()) return
  const isLow = shownUsd * 100 < state.rules.belowCents
  const isUnrecorded = isLow
    ? state.isArmed && !state.current && !state.isOff
    : !state.isArmed || state.current !== null
  if (isUnrecorded) await confirmBalance(creditId, report)
}

async function confirmBalance(creditId: string, report: Report): Promise<boolean> {
  try {
    balanceSource.resetThrottle(creditId)
    const after = await recordTopUpEvent({ type: 'balance', usd: await balanceSource.get(creditId) })
    if (after?.problem === 'day_reached') report({ kind: 'problem', problem: after.problem, isOff: false })
    return true
  } catch {
    // The balance is unknown; the next check will ask again.
    return false
  }
}

/** Takes all steps that are due, in one tab only, until the next one has to wait for something. */
export async function actOnTopUps(report: Report): Promise<void> {
  if (!canPayByItself()) return
  await navigator.locks.request(ACTING_LOCK, { ifAvailable: true }, async lock => {
    while (lock && (await act(report))) {
      // The next step follows from the state as it is stored now.
    }
  })
}

/** False if nothing more can be done now. */
async function act(report: Report): Promise<boolean> {
  const state = readTopUps()
  const fail = async (problem: WalletProblem) => {
    const after = await recordTopUpEvent({ type: 'failed', problem })
    if (after) report({ kind: 'problem', problem, isOff: after.isOff })
    return after !== null
  }
  switch (nextStep(state, Date.now())) {
    case 'warn':
      return (await recordTopUpEvent({ type: 'delayed' })) !== null
    case 'order':
      return order(state, report, fail)
    case 'pay':
      return pay(report, fail)
    case 'expire':
      return fail('expired')
    case 'mark_unknown':
      return (await recordTopUpEvent({ type: 'answered', outcome: 'unknown' })) !== null
    case 'check':
      return checkPayment(state, report)
    default:
      return false
  }
}

type Fail = (problem: WalletProblem) => Promise<boolean>

async function order(state: WalletTopUps, report: Report, fail: Fail): Promise<boolean> {
  if (!isWalletUnlocked()) return false
  const { rules, current } = state
  const creditId = allowedCredit(state)
  if (!rules || current?.stage !== 'warned' || !creditId)
    return (await recordTopUpEvent({ type: 'declined' })) !== null
  if (!(await confirmBalance(creditId, report)) || readTopUps().current?.stage !== 'warned') return false
  const { cents } = current
  let invoice: InvoiceStatus
  let usdPerBitcoin: number | null
  try {
    const methods = await listPaymentMethods()
    usdPerBitcoin = methods.find(({ method }) => method === 'btc-lightning')?.usd_per_bitcoin ?? null
    if (usdPerBitcoin === null || !isPlausibleRate(usdPerBitcoin, rules.usdPerBitcoin))
      return fail('wrong_rate')
    const wanted = { methodName: 'btc-lightning', amountUsd: cents / 100 } as const
    invoice = await orderTopUp('/topup', creditId, wanted)
  } catch (thrown) {
    // Being offline is no failure; it is tried again later.
    return errorCodeOf(thrown) === 'network' ? false : fail('order_failed')
  }
  const bolt11 = readInvoice(invoice)
  if (!bolt11 || invoice.amount_usd !== cents / 100) return fail('wrong_invoice')
  if (!isFairAmount(bolt11.millisatoshis, cents, usdPerBitcoin)) return fail('wrong_invoice')
  const ordered = {
    invoiceId: invoice.invoice_id,
    paymentHash: bolt11.paymentHash,
    lightningInvoice: bolt11.lightningInvoice,
    expiresAtMs: invoice.expires_at * 1000,
  }
  return (await recordTopUpEvent({ type: 'ordered', warned: current, invoice: ordered })) !== null
}

/** The invoice as the wallet would pay it; null if it differs from the amount beside it. */
export function readInvoice({
  lightning_invoice: lightningInvoice,
  crypto_amount_due: bitcoinDue,
}: Pick<InvoiceStatus, 'lightning_invoice' | 'crypto_amount_due'>) {
  const bolt11 = lightningInvoice ? readBolt11(lightningInvoice) : null
  if (!lightningInvoice || !bolt11 || bolt11.millisatoshis === null || bitcoinDue === null) return null
  if (Number(bolt11.millisatoshis) !== Math.round(bitcoinDue * Number(MILLISATOSHIS_PER_BITCOIN))) return null
  return { lightningInvoice, paymentHash: bolt11.paymentHash, millisatoshis: bolt11.millisatoshis }
}

/** The attempt is recorded before the wallet is asked, so that after a crash it is found and checked. */
async function pay(report: Report, fail: Fail): Promise<boolean> {
  if (!isWalletUnlocked()) return false
  // While the wallet was locked, the credit may have been changed.
  if (!allowedCredit(readTopUps())) return (await recordTopUpEvent({ type: 'declined' })) !== null
  const after = await recordTopUpEvent({ type: 'asking' })
  if (after?.problem === 'day_reached') report({ kind: 'problem', problem: 'day_reached', isOff: false })
  if (after?.current?.stage !== 'paying') return false
  const { lightningInvoice } = after.current
  const reply = await askOwnWallet({ kind: 'pay', lightningInvoice })
  const result = paymentOutcome(reply ?? { kind: 'unreachable' })
  if (result.outcome === 'unpaid') return fail(result.problem)
  if (result.outcome === 'unknown') report({ kind: 'problem', problem: result.problem, isOff: false })
  const event = result.outcome === 'paid' ? result : { outcome: 'unknown' as const, problem: result.problem }
  return (await recordTopUpEvent({ type: 'answered', ...event })) !== null
}

/** Asks the server and the wallet what became of the payment. True if that has ended it. */
async function checkPayment({ current }: WalletTopUps, report: Report): Promise<boolean> {
  if (!current || current.stage === 'warned') return false
  const server = await askServerAbout(current.invoiceId)
  const isCredited = server === 'credited'
  const wallet = isCredited || current.stage === 'paid' ? 'silent' : await askWalletAbout(current.paymentHash)
  const after = await recordTopUpEvent({ type: 'checked', server, wallet })
  if (!after || after.current) return false
  if (isCredited) {
    await refreshBalance()
    const dayCents = after.rules?.dayCents ?? 0
    report({ kind: 'credited', cents: current.cents, spentCents: spentCents(after, Date.now()), dayCents })
  } else if (after.problem) report({ kind: 'problem', problem: after.problem, isOff: after.isOff })
  return true
}

async function askServerAbout(invoiceId: string): Promise<ServerReport> {
  const creditId = creditIdStore.getSnapshot()
  if (!creditId) return 'silent'
  try {
    const { status, credited_usd: creditedUsd } = await getTopUp('/topup', creditId, invoiceId)
    if (creditedUsd > 0) return 'credited'
    return status === 'Expired' || status === 'Invalid' ? 'over' : 'open'
  } catch (thrown) {
    return errorCodeOf(thrown) === 'not_found' ? 'foreign' : 'silent'
  }
}

async function askWalletAbout(paymentHash: string): Promise<WalletReport> {
  const reply = await askOwnWallet({ kind: 'look', paymentHash })
  if (reply?.kind === 'found') {
    if (reply.state === 'settled') return 'paid'
    return reply.state === 'failed' ? 'unpaid' : 'silent'
  }
  return reply?.kind === 'refused' && reply.code === 'NOT_FOUND' ? 'unpaid' : 'silent'
}
