import { randomUUID } from 'node:crypto'
import type { JsonAnswer } from './json-server'

export type PayoutState = 'AwaitingApproval' | 'AwaitingPayment' | 'InProgress' | 'Completed' | 'Cancelled'

/** The amount to be refunded for an invoice: in its own currency, in bitcoin, or in one that the operator chose. */
interface StandInPullPayment {
  id: string
  name: string
  currency: 'USD' | 'BTC' | 'SATS' | 'EUR'
  amount: string
  archived: boolean
  startsAt: number
}

interface StandInPayout {
  id: string
  pullPaymentId: string
  date: number
  amount: string
  /** In bitcoin, once it is approved. */
  payoutAmount: string | null
  state: PayoutState
}

/**
 * Refunds as stored by BTCPay Server: a pull payment named after its invoice, from which the payer claims payouts.
 * `InvoiceData` does not mention it.
 */
export class StandInRefunds {
  readonly #pullPayments = new Map<string, StandInPullPayment>()
  readonly #payouts = new Map<string, StandInPayout>()
  /** How often the list of all the store's pull payments was requested. */
  listCount = 0

  constructor(
    readonly input: {
      now: () => number
      url: () => string
      storeId: string
      /** 1 uses the names of version 1.x, 2 those of 2.x: `originalAmount`, `payoutAmount`, `payoutMethodId`. */
      fieldNames: 1 | 2
      mayViewPullPayments: () => boolean
    },
  ) {}

  /** What the server does at "Issue refund", and at `POST …/invoices/{id}/refund`. */
  create(invoiceId: string, { currency, amount }: Pick<StandInPullPayment, 'currency' | 'amount'>): string {
    const id = randomUUID().replaceAll('-', '').slice(0, 20)
    const startsAt = this.input.now()
    const name = `Refund ${invoiceId}`
    this.#pullPayments.set(id, { id, name, currency, amount, archived: false, startsAt })
    return id
  }

  archive(pullPaymentId: string): void {
    const pullPayment = this.#pullPayments.get(pullPaymentId)
    if (pullPayment) pullPayment.archived = true
  }

  /** The payer claims a part; in bitcoin, as much as the currency was worth when it was approved. */
  claim(pullPaymentId: string, amount: string, payoutAmount: string | null, state: PayoutState): string {
    const id = randomUUID()
    this.#payouts.set(id, { id, pullPaymentId, date: this.input.now(), amount, payoutAmount, state })
    return id
  }

  move(payoutId: string, state: PayoutState): void {
    const payout = this.#payouts.get(payoutId)
    if (payout) payout.state = state
  }

  /** The fields that only `WebhookPayoutEvent` has. */
  eventOf(payoutId: string): { payoutId: string; pullPaymentId: string; payoutState: PayoutState } {
    const payout = this.#payouts.get(payoutId)
    if (!payout) throw new Error(`The stand-in has no payout ${payoutId}.`)
    return { payoutId, pullPaymentId: payout.pullPaymentId, payoutState: payout.state }
  }

  /** Null for any other path. */
  answer(path: string, query: URLSearchParams): JsonAnswer | null {
    if (path === `/api/v1/stores/${this.input.storeId}/pull-payments`) {
      this.listCount += 1
      if (!this.input.mayViewPullPayments()) return missingPermission('btcpay.store.canviewpullpayments')
      const isArchivedIncluded = query.get('includeArchived') === 'true'
      const shown = [...this.#pullPayments.values()].filter(each => isArchivedIncluded || !each.archived)
      return { status: 200, body: shown.map(each => this.#toPullPaymentData(each)) }
    }
    const found = /^\/api\/v1\/pull-payments\/(?<id>[^/]+)(?<payouts>\/payouts)?$/.exec(path)?.groups
    if (!found) return null
    const pullPayment = this.#pullPayments.get(found.id ?? '')
    if (!pullPayment) return { status: 404, body: { code: 'pullpayment-not-found', message: 'Not found' } }
    if (!found.payouts) return { status: 200, body: this.#toPullPaymentData(pullPayment) }
    const isCancelledIncluded = query.get('includeCancelled') === 'true'
    const payouts = [...this.#payouts.values()].filter(
      ({ pullPaymentId, state }) =>
        pullPaymentId === pullPayment.id && (isCancelledIncluded || state !== 'Cancelled'),
    )
    return { status: 200, body: payouts.map(each => this.#toPayoutData(each, pullPayment)) }
  }

  /** `PullPaymentData` */
  #toPullPaymentData({ id, name, currency, amount, archived, startsAt }: StandInPullPayment) {
    return {
      id,
      name,
      description: '',
      currency,
      amount,
      BOLT11Expiration: '30.00:00:00',
      autoApproveClaims: false,
      startsAt,
      expiresAt: null,
      archived,
      viewLink: `${this.input.url()}/pull-payments/${id}`,
    }
  }

  /** `PayoutData` */
  #toPayoutData(payout: StandInPayout, { currency }: StandInPullPayment) {
    const { id, pullPaymentId, date, amount, payoutAmount, state } = payout
    const named =
      this.input.fieldNames === 1
        ? { amount, paymentMethod: 'BTC', cryptoCode: 'BTC', paymentMethodAmount: payoutAmount }
        : {
            originalCurrency: currency,
            originalAmount: amount,
            payoutMethodId: 'BTC-CHAIN',
            payoutCurrency: 'BTC',
            payoutAmount,
          }
    return {
      id,
      revision: 0,
      pullPaymentId,
      date,
      destination: 'bc1qpayer',
      ...named,
      state,
      paymentProof: state === 'Completed' ? { proofType: 'PayoutTransactionOnChainBlob' } : null,
      metadata: {},
    }
  }
}

export function missingPermission(permission: string): JsonAnswer {
  const message = `Insufficient API Permissions. Please use an API key with permission "${permission}".`
  return { status: 403, body: { code: 'missing-permission', message, missingPermission: permission } }
}
