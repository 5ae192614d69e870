import { QUERY_TYPES } from '@/lib/ledger/domain/usage'
import { GATEWAYS } from '@/lib/payments/domain/gateway'
import { CURRENCIES, METHOD_IDS } from '@/lib/payments/domain/payment-method'

/**
 * What the tables' checks allow, derived from the program's own lists. They are functions, so that a longer list
 * reaches an existing database when they are applied again.
 */
export const NAMES: readonly { name: string; text: string }[] = [
  isOneOf('is_query_type', QUERY_TYPES),
  isOneOf('is_gateway', GATEWAYS),
  isOneOf('is_payment_method', METHOD_IDS),
  isOneOf('is_currency', CURRENCIES),
]

function isOneOf(name: string, allowed: readonly string[]) {
  const list = allowed.map(each => `'${each}'`).join(', ')
  const text = `create or replace function ${name}(p_name text) returns boolean language sql immutable as
    'select p_name in (${list.replaceAll("'", "''")})'`
  return { name, text }
}
