import 'server-only'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import { LedgerError } from '@/lib/ledger/domain/ledger-error'
import { GatewayError } from '../domain/gateway'
import type { Payments } from '../domain/payments'

const PRETEND_MONEY =
  'The payments host is a sandbox: its money is made from nothing, and must not be spent at an upstream that sends a bill. Set PAYMENTS_HOST to a host that takes real payments, or use upstreams on this machine.'

/**
 * The ledger and the payments of a host, for a deployment whose upstreams send bills: if the host is a sandbox, nothing
 * is held there, and none of its methods is offered. It is asked once, before the first hold. A database knows what its
 * money is (claimMoney), so that a host does not become a sandbox later.
 */
export function requireRealMoney(host: { ledger: Ledger; payments: Payments }): typeof host {
  async function listMethods() {
    const offers = await host.payments.listMethods()
    if (offers.some(({ gatewayId }) => gatewayId === 'sandbox')) throw new GatewayError(PRETEND_MONEY)
    return offers
  }
  let isReal = false
  const hold: Ledger['hold'] = async input => {
    if (!isReal) await listMethods().catch(refuse)
    isReal = true
    return host.ledger.hold(input)
  }
  return { ledger: { ...host.ledger, hold }, payments: { ...host.payments, listMethods } }
}

function refuse(cause: Error): never {
  throw new LedgerError('unavailable', cause.message, { cause })
}
