import 'server-only'
import type { MethodId } from '../../domain/payment-method'

/** What each version calls the two ways of paying; the newest first. */
const PAYMENT_METHOD_IDS: Partial<Record<MethodId, readonly string[]>> = {
  'btc-lightning': ['BTC-LN', 'BTC-LightningNetwork'],
  btc: ['BTC-CHAIN', 'BTC'],
}

/** Names to try, in order; none for a way that is not bitcoin. */
export function paymentMethodIds(methodId: MethodId): readonly string[] {
  return PAYMENT_METHOD_IDS[methodId] ?? []
}

export function isPaymentMethod(id: string, methodId: MethodId): boolean {
  return paymentMethodIds(methodId).some(name => name.toLowerCase() === id.toLowerCase())
}

/** Whatever way it came: `BTC-LNURL` too. */
export function isBitcoinMethod(id: string): boolean {
  return /^BTC\b/i.test(id)
}
