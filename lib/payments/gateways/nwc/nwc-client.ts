import 'server-only'
import type { Nip47Notification, NWCClient } from '@getalby/sdk/nwc'
import { GatewayError } from '../../domain/gateway'

/** A wallet answers over a relay, usually within two seconds; a page is waiting. */
const REPLY_TIMEOUT_MS = 15_000

export type NwcWallet = Pick<NWCClient, 'makeInvoice' | 'lookupInvoice' | 'subscribeNotifications'>

/** Connects on first use; the library is loaded then, for it is large and needs a WebSocket. */
export function createNwcClient(nwcUrl: string): () => Promise<NwcWallet> {
  let wallet: Promise<NwcWallet> | null = null
  return () => {
    wallet ??= import('@getalby/sdk/nwc').then(
      ({ NWCClient }) => new NWCClient({ nostrWalletConnectUrl: nwcUrl, requireSecret: true }),
    )
    return wallet
  }
}

/**
 * Asks the wallet; null when it has no such invoice.
 * @throws GatewayError when it does not answer in time, or refuses
 */
export async function askWallet<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new GatewayError('The Lightning wallet does not answer.')),
      REPLY_TIMEOUT_MS,
    )
  })
  try {
    return await Promise.race([ask(), timeout])
  } catch (error) {
    if (errorCode(error) === 'NOT_FOUND') return null
    if (error instanceof GatewayError) throw error
    throw new GatewayError(`The Lightning wallet gave no usable answer (${errorCode(error)}).`)
  } finally {
    clearTimeout(timer)
  }
}

/** The payment hash of a payment that came in; null for any other news. */
export function receivedPaymentHash(notification: Nip47Notification): string | null {
  return notification.notification_type === 'payment_received'
    ? (notification.notification?.payment_hash ?? null)
    : null
}

function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown'
}
