import 'server-only'
import type { MethodId } from '../../domain/payment-method'

/** The names of the two payment methods in each version; the newest first. */
const PAYMENT_METHOD_IDS: Partial<Record<MethodId, readonly string[]>> = {
  'btc-lightning': ['BTC-LN', 'BTC-LightningNetwork'],
  btc: ['BTC-CHAIN', 'BTC'],
}

/** The names to try, in order; none for a method that is not paid in bitcoin. */
export function paymentMethodIds(methodId: MethodId): readonly string[] {
  return PAYMENT_METHOD_IDS[methodId] ?? []
}

export function isPaymentMethod(id: string, methodId: MethodId): boolean {
  return paymentMethodIds(methodId).some(name => name.toLowerCase() === id.toLowerCase())
}

/** Any bitcoin method, `BTC-LNURL` included. */
export function isBitcoinMethod(id: string): boolean {
  return /^BTC\b/i.test(id)
}
