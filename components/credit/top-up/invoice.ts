import { fieldOf } from '@/lib/http/client/call-api'

export type InvoiceState = 'New' | 'Processing' | 'Settled' | 'Expired' | 'Invalid'
type AdditionalStatus = 'none' | 'paid_partial' | 'paid_late' | 'paid_over' | 'under_review'

/** An invoice as `GET /topup/status/{id}` tells it. */
export interface Invoice {
  id: string
  state: InvoiceState
  additionalStatus: AdditionalStatus
  method: string
  amountUsd: number
  creditedUsd: number
  /** Arrived, and waiting for the operator. */
  uncreditedUsd: number
  expiresAtSeconds: number
  checkoutUrl: string | null
  lightningInvoice: string | null
  bitcoinAddress: string | null
  bitcoinDue: number | null
  sandbox: boolean
}

const STATES: readonly InvoiceState[] = ['New', 'Processing', 'Settled', 'Expired', 'Invalid']
const ADDITIONAL: readonly AdditionalStatus[] = [
  'none',
  'paid_partial',
  'paid_late',
  'paid_over',
  'under_review',
]

/** Null when the answer is no invoice. A new one carries no status yet. */
export function parseInvoice(answer: unknown): Invoice | null {
  const id = fieldOf(answer, 'invoice_id')
  const expiresAtSeconds = numberAt(answer, 'expires_at')
  if (typeof id !== 'string' || expiresAtSeconds === null) return null
  return {
    id,
    state: STATES.find(state => state === fieldOf(answer, 'status')) ?? 'New',
    additionalStatus: ADDITIONAL.find(status => status === fieldOf(answer, 'additional_status')) ?? 'none',
    method: textAt(answer, 'method') ?? '',
    amountUsd: numberAt(answer, 'amount_usd') ?? numberAt(answer, 'amount') ?? 0,
    creditedUsd: numberAt(answer, 'credited_usd') ?? 0,
    uncreditedUsd: numberAt(answer, 'uncredited_usd') ?? 0,
    expiresAtSeconds,
    checkoutUrl: httpsUrl(textAt(answer, 'checkout_url')),
    lightningInvoice: textAt(answer, 'lightning_invoice'),
    bitcoinAddress: textAt(answer, 'address'),
    bitcoinDue: numberAt(answer, 'crypto_amount_due'),
    sandbox: fieldOf(answer, 'sandbox') === true,
  }
}

function textAt(value: unknown, name: string): string | null {
  const text = fieldOf(value, name)
  return typeof text === 'string' && text !== '' ? text : null
}

function numberAt(value: unknown, name: string): number | null {
  const number = fieldOf(value, name)
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** A checkout elsewhere is opened as a link: nothing but http(s) may stand there. */
function httpsUrl(text: string | null): string | null {
  return text && /^https?:\/\//.test(text) ? text : null
}
