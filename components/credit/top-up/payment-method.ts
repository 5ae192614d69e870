import { fieldOf } from '@/lib/http/client/call-api'

export type MethodId = 'btc-lightning' | 'btc' | 'card'

export interface PaymentMethod {
  id: MethodId
  minimumUsd: number
  maximumUsd: number
  bonusPercent: number
}

const METHOD_IDS: readonly MethodId[] = ['btc-lightning', 'btc', 'card']

/** The methods of `GET /topup/payment-methods` that this page knows, in the server's order. */
export function parsePaymentMethods(answer: unknown): PaymentMethod[] {
  const methods = fieldOf(answer, 'supported_methods')
  return Array.isArray(methods) ? methods.flatMap(method => parseMethod(method) ?? []) : []
}

function parseMethod(value: unknown): PaymentMethod | null {
  const id = METHOD_IDS.find(known => known === fieldOf(value, 'method'))
  const dollars = fieldOf(fieldOf(value, 'limits'), 'USD')
  const minimumUsd = fieldOf(dollars, 'min')
  const maximumUsd = fieldOf(dollars, 'max')
  if (!id || typeof minimumUsd !== 'number' || typeof maximumUsd !== 'number') return null
  const bonusPercent = fieldOf(value, 'bonus_percent')
  return { id, minimumUsd, maximumUsd, bonusPercent: typeof bonusPercent === 'number' ? bonusPercent : 0 }
}
