import 'server-only'
import type { Nip47Notification, Nip47SingleMethod, NWCClient } from '@getalby/sdk/nwc'
import { GatewayError } from '../../domain/gateway'

/** A wallet answers over a relay, usually within two seconds; a page is waiting. */
const REPLY_TIMEOUT_MS = 15_000

interface NwcWallet extends Pick<NWCClient, 'subscribeNotifications'> {
  /** One of NIP-47's questions; its answer is the caller's to check. */
  ask(method: Nip47SingleMethod, parameters: object): Promise<unknown>
}

/**
 * What the library's own questions are made of. They print what they refuse, a preimage too, and refuse an invoice
 * that was looked up where its text is not repeated, which NIP-47 leaves to the wallet.
 */
interface LibraryQuestions {
  executeNip47Request(method: Nip47SingleMethod, parameters: object, isValid: () => boolean): Promise<unknown>
}

/** Connects on first use; the library is loaded then, for it is large and needs a WebSocket. */
async function connect(nwcUrl: string) {
  const { NWCClient, Nip47PublishError, Nip47PublishTimeoutError } = await import('@getalby/sdk/nwc')
  const client = new NWCClient({ nostrWalletConnectUrl: nwcUrl, requireSecret: true })
  const questions = client as unknown as LibraryQuestions
  const wallet: NwcWallet = {
    ask: (method, parameters) => questions.executeNip47Request(method, parameters, () => true),
    subscribeNotifications: (...asked) => client.subscribeNotifications(...asked),
  }
  const notTaken = [Nip47PublishError, Nip47PublishTimeoutError]
  return {
    wallet,
    /**
     * A relay says within seconds that it took an event (NIP-01, `OK`). One that does not may be behind a connection
     * that a router has forgotten, on which TCP goes on hoping for a quarter of an hour. Without it the next question
     * takes another, and so does whoever listens.
     */
    afterFailure(error: unknown) {
      if (notTaken.some(kind => error instanceof kind)) client.pool.close(client.relayUrls)
    },
  }
}

/**
 * How to ask the wallet; null when it has no such invoice.
 * @throws GatewayError when it does not answer in time, or refuses
 */
export function createNwcClient(nwcUrl: string) {
  let connection: ReturnType<typeof connect> | null = null
  return async function askWallet<Answer>(
    ask: (wallet: NwcWallet) => Promise<Answer>,
  ): Promise<Answer | null> {
    connection ??= connect(nwcUrl)
    const { wallet, afterFailure } = await connection
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(new GatewayError('The Lightning wallet does not answer.')),
        REPLY_TIMEOUT_MS,
      )
    })
    try {
      return await Promise.race([ask(wallet), timeout])
    } catch (error) {
      afterFailure(error)
      if (errorCode(error) === 'NOT_FOUND') return null
      if (error instanceof GatewayError) throw error
      throw new GatewayError(`The Lightning wallet gave no usable answer (${errorCode(error)}).`)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The payment hash of a payment that came in; null for any other news. The library hands on whatever it is told. */
export function receivedPaymentHash({
  notification_type: type,
  notification,
}: Nip47Notification): string | null {
  const paymentHash: unknown = type === 'payment_received' ? notification?.payment_hash : null
  return typeof paymentHash === 'string' ? paymentHash.toLowerCase() : null
}

function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown'
}
