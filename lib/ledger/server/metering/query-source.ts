import 'server-only'
import type { ExchangeDetail } from '../../domain/ledger'

/** Whether this site's own pages ask. Browsers say so themselves; a tool that pretends gains nothing. */
export function querySourceOf(headers: Headers): ExchangeDetail['querySource'] {
  return headers.get('sec-fetch-site') === 'same-origin' ? 'web' : 'api'
}
