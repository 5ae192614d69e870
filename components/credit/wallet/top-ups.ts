import { getTopUp, listPaymentMethods, orderTopUp } from '@/lib/api/client/top-ups'
import type { InvoiceStatus } from '@/lib/api/contracts/invoices'
import { errorCodeOf } from '@/lib/http/client/call-api'
import { creditIdFirstSegment, creditIdStore } from '@/lib/local/credit-id'
import { parseStored } from '@/lib/local/storage/json'
import { walletRecord } from '@/lib/local/wallet/wallet-stores'
import { readBolt11 } from '@/lib/payments/domain/bolt11'
import { isFairAmount, isPlausibleRate, MILLISATOSHIS_PER_BITCOIN } from '@/lib/payments/domain/wallet-rules'
import {
  advance,
  nextStep,
  type OrderedTopUp,
  parseWalletTopUps,
  spentCents,
  type WalletEvent,
  type WalletProblem,
  type WalletReport,
  type WalletTopUps,
} from '@/lib/payments/domain/wallet-top-ups'
import { balanceSource, refreshBalance } from '../balance-store'
import { askOwnWallet, isWalletUnlocked } from './wallet'
import { paymentOutcome } from './wallet-problem'

/** What is told of a payment, by the tab that has made it. */
export type WalletNews =
  | {
      readonly kind: 'credited'
      readonly cents: number
      readonly spentCents: number
      readonly dayCents: number
    }
  | { readonly kind: 'problem'; readonly problem: WalletProblem; readonly isOff: boolean }

type Tell = (news: WalletNews) => void

const ACTING_LOCK = 'tuppence-wallet-acting'

/** Without Web Locks two tabs could pay at once: then the wallet pays nothing by itself. */
export function canPayByItself(): boolean {
  return typeof navigator !== 'undefined' && 'locks' in navigator
}

export function readTopUps(text = walletRecord.getSnapshot()): WalletTopUps {
  return parseWalletTopUps(parseStored(text))
}

/** What an event has made of things; null where it changed nothing, or what it changed could not be kept. */
export async function tellTopUps(event: WalletEvent): Promise<WalletTopUps | null> {
  let after: WalletTopUps | null = null
  const isWritten = await walletRecord.change(stored => {
    const before = parseWalletTopUps(stored)
    const changed = advance(before, event, Date.now())
    after = changed === before ? null : changed
    return after
  })
  return isWritten ? after : null
}

/** Whose balance the wallet was allowed to fill; null where that is not the credit of this browser. */
function allowedCredit({ rules }: WalletTopUps): string | null {
  const creditId = creditIdStore.getSnapshot()
  return creditId && rules?.creditSegment === creditIdFirstSegment(creditId) ? creditId : null
}

/** Takes note of a balance that the page has seen cross the limit, once the server has confirmed it just now. */
export async function noteBalance(shownUsd: number, tell: Tell): Promise<void> {
  const state = readTopUps()
  const creditId = allowedCredit(state)
  if (!creditId || !state.rules || !canPayByItself()) return
  const isLow = shownUsd * 100 < state.rules.belowCents
  const isNews = isLow
    ? state.isArmed && !state.current && !state.isOff
    : !state.isArmed || state.current !== null
  if (isNews) await hearBalance(creditId, tell)
}

async function hearBalance(creditId: string, tell: Tell): Promise<boolean> {
  try {
    balanceSource.resetThrottle(creditId)
    const after = await tellTopUps({ type: 'balance', usd: await balanceSource.get(creditId) })
    if (after?.problem === 'day_reached') tell({ kind: 'problem', problem: after.problem, isOff: false })
    return true
  } catch {
    // Nothing is known; it is asked again at the next look.
    return false
  }
}

/** Does what is to be done by now, in one tab alone, up to where something has to be waited for. */
export async function actOnTopUps(tell: Tell): Promise<void> {
  if (!canPayByItself()) return
  await navigator.locks.request(ACTING_LOCK, { ifAvailable: true }, async lock => {
    while (lock && (await act(tell))) {
      // The next step follows from what is stored by now.
    }
  })
}

/** False when there is nothing more to be done now. */
async function act(tell: Tell): Promise<boolean> {
  const state = readTopUps()
  const fail = async (problem: WalletProblem) => {
    const after = await tellTopUps({ type: 'failed', problem })
    if (after) tell({ kind: 'problem', problem, isOff: after.isOff })
    return after !== null
  }
  switch (nextStep(state, Date.now())) {
    case 'warn':
      return (await tellTopUps({ type: 'delayed' })) !== null
    case 'order':
      return order(state, tell, fail)
    case 'pay':
      return pay(tell, fail)
    case 'expire':
      return fail('expired')
    case 'mark_unknown':
      return (await tellTopUps({ type: 'answered', outcome: 'unknown' })) !== null
    case 'check':
      return look(state, tell)
    default:
      return false
  }
}

type Fail = (problem: WalletProblem) => Promise<boolean>

async function order(state: WalletTopUps, tell: Tell, fail: Fail): Promise<boolean> {
  if (!isWalletUnlocked()) return false
  const { rules, current } = state
  const creditId = allowedCredit(state)
  if (!rules || current?.stage !== 'warned' || !creditId)
    return (await tellTopUps({ type: 'declined' })) !== null
  if (!(await hearBalance(creditId, tell)) || readTopUps().current?.stage !== 'warned') return false
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
    // Without the network nothing is wrong; there will be another look.
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
  return (await tellTopUps({ type: 'ordered', warned: current, invoice: ordered })) !== null
}

/** What a wallet would pay; null where that is not what the invoice says beside it. */
export function readInvoice({
  lightning_invoice: lightningInvoice,
  crypto_amount_due: bitcoinDue,
}: Pick<InvoiceStatus, 'lightning_invoice' | 'crypto_amount_due'>) {
  const bolt11 = lightningInvoice ? readBolt11(lightningInvoice) : null
  if (!lightningInvoice || !bolt11 || bolt11.millisatoshis === null || bitcoinDue === null) return null
  if (Number(bolt11.millisatoshis) !== Math.round(bitcoinDue * MILLISATOSHIS_PER_BITCOIN)) return null
  return { lightningInvoice, paymentHash: bolt11.paymentHash, millisatoshis: bolt11.millisatoshis }
}

/** The wallet is asked only once it is written that it is: whoever comes after a crash finds that, and looks. */
async function pay(tell: Tell, fail: Fail): Promise<boolean> {
  if (!isWalletUnlocked()) return false
  const after = await tellTopUps({ type: 'asking' })
  if (after?.problem === 'day_reached') tell({ kind: 'problem', problem: 'day_reached', isOff: false })
  if (after?.current?.stage !== 'paying') return false
  const { lightningInvoice } = after.current
  const reply = await askOwnWallet({ kind: 'pay', lightningInvoice })
  const answer = paymentOutcome(reply ?? { kind: 'unreachable' })
  if (answer.outcome === 'unpaid') return fail(answer.problem)
  if (answer.outcome === 'unknown') tell({ kind: 'problem', problem: answer.problem, isOff: false })
  const event = answer.outcome === 'paid' ? answer : { outcome: 'unknown' as const, problem: answer.problem }
  return (await tellTopUps({ type: 'answered', ...event })) !== null
}

/** Asks both sides what became of it. True when that has ended it. */
async function look(state: WalletTopUps, tell: Tell): Promise<boolean> {
  const current = state.current as OrderedTopUp
  const creditId = creditIdStore.getSnapshot()
  const invoice = creditId ? await getTopUp('/topup', creditId, current.invoiceId).catch(() => null) : null
  const isOver = invoice?.status === 'Expired' || invoice?.status === 'Invalid'
  const isCredited = invoice !== null && invoice.credited_usd > 0
  const server = isCredited ? 'credited' : isOver ? 'over' : invoice ? 'open' : 'silent'
  const wallet = isCredited || current.stage === 'paid' ? 'silent' : await walletWord(current.paymentHash)
  const after = await tellTopUps({ type: 'checked', server, wallet })
  if (!after || after.current) return false
  if (isCredited) {
    await refreshBalance()
    const dayCents = after.rules?.dayCents ?? 0
    tell({ kind: 'credited', cents: current.cents, spentCents: spentCents(after, Date.now()), dayCents })
  } else if (after.problem) tell({ kind: 'problem', problem: after.problem, isOff: after.isOff })
  return true
}

async function walletWord(paymentHash: string): Promise<WalletReport> {
  const reply = await askOwnWallet({ kind: 'look', paymentHash })
  if (reply?.kind === 'found') {
    if (reply.state === 'settled') return 'paid'
    return reply.state === 'failed' ? 'unpaid' : 'silent'
  }
  return reply?.kind === 'refused' && reply.code === 'NOT_FOUND' ? 'unpaid' : 'silent'
}
