import 'server-only'
import { createHostClient, type Host } from '@/lib/host-mode/server/host-client'
import { GatewayError } from '../domain/gateway'
import { PAYMENTS_CONTRACT, type Payments } from '../domain/payments'

/**
 * Payments that another deployment handles (`PAYMENTS_HOST`). It has the gateways, receives their webhooks, and does
 * its own reconciling and watching.
 */
export function createHostPayments(host: Host): Payments {
  return {
    ...createHostClient(PAYMENTS_CONTRACT, host),
    listUnderReview: refuse,
    creditRest: refuse,
    handleWebhook: async () => ({ outcome: 'absent' }),
    reconcile: async () => ({ checkedCount: 0, failedCount: 0, creditedNano: 0n }),
    watch: async () => ({ stop: () => {} }),
  }
}

async function refuse(): Promise<never> {
  throw new GatewayError(
    'This deployment takes no payments. Run this command at the deployment that PAYMENTS_HOST names.',
  )
}
