import { fieldOf } from '@/lib/http/client/call-api'
import { METHOD_IDS, type MethodId } from '@/lib/payments/domain/payment-method'

/** A way to pay as this deployment offers it. */
export interface OfferedMethod {
  id: MethodId
  minimumUsd: number
  maximumUsd: number
  bonusPercent: number
}

/** The methods of `GET /topup/payment-methods` that this page knows, in the server's order. */
export function parseOfferedMethods(answer: unknown): OfferedMethod[] {
  const methods = fieldOf(answer, 'supported_methods')
  return Array.isArray(methods) ? methods.flatMap(method => parseMethod(method) ?? []) : []
}

function parseMethod(value: unknown): OfferedMethod | null {
  const id = METHOD_IDS.find(known => known === fieldOf(value, 'method'))
  const dollars = fieldOf(fieldOf(value, 'limits'), 'USD')
  const minimumUsd = fieldOf(dollars, 'min')
  const maximumUsd = fieldOf(dollars, 'max')
  if (!id || typeof minimumUsd !== 'number' || typeof maximumUsd !== 'number') return null
  const bonusPercent = fieldOf(value, 'bonus_percent')
  return { id, minimumUsd, maximumUsd, bonusPercent: typeof bonusPercent === 'number' ? bonusPercent : 0 }
}
