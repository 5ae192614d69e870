import { randomUUID } from 'node:crypto'
import type { CreateInvoiceRequest } from './btcpay-request'

export type InvoiceStatus = 'New' | 'Processing' | 'Expired' | 'Invalid' | 'Settled'
export type AdditionalStatus = 'None' | 'PaidLate' | 'PaidPartial' | 'Marked' | 'Invalid' | 'PaidOver'

const SATOSHIS_PER_BITCOIN = 100_000_000n
export interface StandInPayment {
  id: string
  receivedDate: number
  satoshis: bigint
  status: 'Processing' | 'Settled' | 'Invalid'
  /**
   * For a test's own calculation, which the real server does not store: the lowest market rate from when it first
   * reported this payment until it reported it as settled; null before that.
   */
  lowestReportedCents: bigint | null
  /** The market rate when it first reported this payment as settled. */
  settledReportedCents: bigint | null
}

/**
 * One invoice as stored by the server, with the rules of its `InvoiceWatcher`: paid in time it goes through Processing
 * to Settled; paid after expiry it stays Expired and is PaidLate.
 */
export class StandInInvoice {
  readonly id = randomUUID().replaceAll('-', '').slice(0, 22)
  readonly createdTime: number
  expirationTime: number
  status: InvoiceStatus = 'New'
  additionalStatus: AdditionalStatus = 'None'
  readonly payments: StandInPayment[] = []

  constructor(
    readonly request: CreateInvoiceRequest,
    readonly now: () => number,
    readonly centsPerBitcoin: bigint,
    /** Null while no rate is known. */
    readonly marketCentsPerBitcoin: () => bigint | null,
  ) {
    this.createdTime = now()
    this.expirationTime = this.createdTime + request.checkout.expirationMinutes * 60
  }

  /** Rounded up to a whole satoshi, as the checkout does. */
  get satoshisDue(): bigint {
    const minorUnits = this.#minorUnits
    if (this.request.currency === 'BTC') return minorUnits
    return (minorUnits * SATOSHIS_PER_BITCOIN + this.centsPerBitcoin - 1n) / this.centsPerBitcoin
  }

  pay(fractionPercent: bigint, settled: boolean): StandInPayment {
    const payment: StandInPayment = {
      id: randomUUID(),
      receivedDate: this.now(),
      satoshis: (this.satoshisDue * fractionPercent) / 100n,
      status: settled ? 'Settled' : 'Processing',
      lowestReportedCents: null,
      settledReportedCents: null,
    }
    this.payments.push(payment)
    this.update()
    return payment
  }

  confirm(): void {
    for (const payment of this.payments) payment.status = 'Settled'
    this.update()
  }

  update(): void {
    if (this.status === 'New' && this.expirationTime <= this.now()) this.status = 'Expired'
    const paid = this.#satoshis(() => true)
    if (this.status === 'New' || this.status === 'Expired') {
      if (paid >= this.satoshisDue && this.status === 'New') {
        this.status = 'Processing'
        this.additionalStatus = paid > this.satoshisDue ? 'PaidOver' : 'None'
      } else if (paid >= this.satoshisDue) {
        this.additionalStatus = 'PaidLate'
      } else if (paid > 0n) {
        this.additionalStatus = 'PaidPartial'
      }
    }
    const settled = this.#satoshis(({ status }) => status === 'Settled')
    if (this.status === 'Processing' && settled >= this.satoshisDue) this.status = 'Settled'
  }

  /** `InvoiceData` */
  toInvoiceData(input: { url: string; storeId: string }) {
    return {
      id: this.id,
      storeId: input.storeId,
      amount: this.request.amount,
      paidAmount: this.#paidAmount,
      currency: this.request.currency,
      type: 'Standard',
      checkoutLink: `${input.url}/i/${this.id}`,
      createdTime: this.createdTime,
      expirationTime: this.expirationTime,
      monitoringExpiration: this.expirationTime + this.request.checkout.monitoringMinutes * 60,
      status: this.status,
      additionalStatus: this.additionalStatus,
      availableStatusesForManualMarking: this.status === 'Settled' ? ['Invalid'] : ['Settled', 'Invalid'],
      archived: false,
      metadata: this.request.metadata,
      checkout: this.request.checkout,
      receipt: { enabled: null, showQR: null, showPayments: null },
    }
  }

  /** Records that every payment was reported in its current state, provided that a rate was available. */
  #recordReport(): void {
    const market = this.marketCentsPerBitcoin()
    if (market === null) return
    for (const payment of this.payments.filter(each => each.settledReportedCents === null)) {
      const { lowestReportedCents: before } = payment
      payment.lowestReportedCents = before === null || market < before ? market : before
      if (payment.status === 'Settled') payment.settledReportedCents = market
    }
  }

  /** `InvoicePaymentMethodDataModel[]` */
  toPaymentMethods() {
    this.#recordReport()
    const rate = this.request.currency === 'BTC' ? '1' : formatUnits(this.centsPerBitcoin, 2)
    const paid = this.#satoshis(() => true)
    return this.request.checkout.paymentMethods.map((paymentMethodId, index) => {
      const destination = paymentMethodId.startsWith('BTC-L')
        ? `lnbc${this.satoshisDue}0n1stand0in${this.id.toLowerCase()}`
        : `bc1qstandin${this.id.toLowerCase()}`
      return {
        paymentMethodId,
        currency: 'BTC',
        destination,
        paymentLink: `${paymentMethodId.startsWith('BTC-L') ? 'lightning' : 'bitcoin'}:${destination}`,
        rate,
        paymentMethodPaid: formatBitcoin(index === 0 ? paid : 0n),
        totalPaid: formatBitcoin(paid),
        due: formatBitcoin(this.satoshisDue - paid),
        amount: formatBitcoin(this.satoshisDue),
        paymentMethodFee: '0',
        payments: index === 0 ? this.payments.map(payment => toPayment(payment, destination)) : [],
        activated: true,
        additionalData: {},
      }
    })
  }

  get #minorUnits(): bigint {
    const digits = this.request.currency === 'BTC' ? 8 : 2
    const [whole = '0', fraction = ''] = this.request.amount.split('.')
    return BigInt(whole + fraction.padEnd(digits, '0').slice(0, digits))
  }

  /** Rounded to the currency's decimal places. */
  get #paidAmount(): string {
    const paid = this.#satoshis(() => true)
    if (this.request.currency === 'BTC') return formatBitcoin(paid)
    const cents = (paid * this.centsPerBitcoin + SATOSHIS_PER_BITCOIN / 2n) / SATOSHIS_PER_BITCOIN
    return formatUnits(cents, 2)
  }

  #satoshis(which: (payment: StandInPayment) => boolean): bigint {
    return this.payments.filter(which).reduce((sum, { satoshis }) => sum + satoshis, 0n)
  }
}

/** `Payment` */
function toPayment(payment: StandInPayment, destination: string) {
  return {
    id: payment.id,
    receivedDate: payment.receivedDate,
    value: formatBitcoin(payment.satoshis),
    fee: '0',
    status: payment.status,
    destination,
  }
}

export function formatBitcoin(satoshis: bigint): string {
  return formatUnits(satoshis, 8)
}

export function formatUnits(units: bigint, digits: number): string {
  const text = (units < 0n ? -units : units).toString().padStart(digits + 1, '0')
  return `${units < 0n ? '-' : ''}${text.slice(0, -digits)}.${text.slice(-digits)}`
}
