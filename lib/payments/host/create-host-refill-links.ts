import 'server-only'
import { REFILL_WIRE } from '../domain/payments-wire'
import type { RefillLinks } from '../domain/refill-links'
import { askPaymentsHost, type PaymentsHost } from './ask-payments-host'

/** The refill links of accounts that another deployment keeps. Its tokens are hashed before they leave. */
export function createHostRefillLinks(host: PaymentsHost): RefillLinks {
  const { createRefillLink, getRefillLink, revokeRefillLink, findRefillLink } = REFILL_WIRE
  return {
    create: input => askPaymentsHost(host, { name: 'createRefillLink', wire: createRefillLink }, input),
    get: input => askPaymentsHost(host, { name: 'getRefillLink', wire: getRefillLink }, input),
    revoke: input => askPaymentsHost(host, { name: 'revokeRefillLink', wire: revokeRefillLink }, input),
    find: input => askPaymentsHost(host, { name: 'findRefillLink', wire: findRefillLink }, input),
  }
}
