import { GATEWAYS } from '@/lib/payments/domain/gateway'
import { METHOD_IDS } from '@/lib/payments/domain/payment-method'

/**
 * What an invoice may name, made from the lists that the program itself uses. Functions and no constraints
 * of their own, so that a longer list reaches an existing database by applying them again.
 */
export const PAYMENT_NAMES: readonly { name: string; text: string }[] = [
  isOneOf('is_gateway', GATEWAYS),
  isOneOf('is_payment_method', METHOD_IDS),
]

function isOneOf(name: string, allowed: readonly string[]) {
  const list = allowed.map(each => `'${each}'`).join(', ')
  const text = `create or replace function ${name}(p_name text) returns boolean language sql immutable as
    'select p_name in (${list.replaceAll("'", "''")})'`
  return { name, text }
}
