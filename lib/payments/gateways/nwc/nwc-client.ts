import 'server-only'
import type { Nip47Notification, Nip47SingleMethod, NWCClient } from '@getalby/sdk/nwc'
import { fieldsOf, isObject } from '@/lib/http/domain/is-object'
import { tryParseJson } from '@/lib/http/domain/try-parse-json'
import { GatewayError } from '../../domain/gateway'

/** A wallet answers through a relay, usually within two seconds; a page is waiting. */
const REPLY_TIMEOUT_MS = 15_000

interface NwcWallet extends Pick<NWCClient, 'subscribeNotifications'> {
  /** Sends a NIP-47 request; the caller validates the answer. */
  ask(method: Nip47SingleMethod, parameters: object): Promise<unknown>
}

/**
 * What the library's own methods are built on. Those log what they reject, even a preimage, and reject a looked-up
 * invoice without its text, which NIP-47 makes optional.
 */
interface LibraryQuestions {
  executeNip47Request(method: Nip47SingleMethod, parameters: object, isValid: () => boolean): Promise<unknown>
}

/** Connects on first use. The library is loaded only then, because it is large and needs a WebSocket. */
async function connect(nwcUrl: string) {
  const { NWCClient, Nip47PublishError, Nip47PublishTimeoutError } = await import('@getalby/sdk/nwc')
  const client = new NWCClient({ nostrWalletConnectUrl: nwcUrl, requireSecret: true })
  // The library awaits this where nobody can catch an error, and reads what it returns as an object.
  const decrypt = client.decrypt.bind(client)
  client.decrypt = async (...asked) => objectText(await decrypt(...asked).catch(() => ''))
  const questions = client as unknown as LibraryQuestions
  const wallet: NwcWallet = {
    ask: (method, parameters) => questions.executeNip47Request(method, parameters, () => true),
    subscribeNotifications: (...asked) => client.subscribeNotifications(...asked),
  }
  const notTaken = [Nip47PublishError, Nip47PublishTimeoutError]
  const disconnect = () => client.pool.close(client.relayUrls)
  return {
    wallet,
    /**
     * A relay confirms within seconds that it took an event (NIP-01, `OK`). If it does not, a router may have forgotten
     * the connection, which TCP would keep retrying for a quarter of an hour. Closing it makes the next request, and
     * every subscription, open a new one.
     */
    afterFailure(error: unknown) {
      if (notTaken.some(kind => error instanceof kind)) disconnect()
    },
    disconnect,
  }
}

/** The text of a JSON object; that of an empty one in place of anything else, which no question accepts as its answer. */
function objectText(text: string): string {
  return isObject(tryParseJson(text)) ? text : '{}'
}

/**
 * Returns a function that asks the wallet; it returns null if the wallet has no such invoice.
 *
 * @param closesWhenIdle for a process that may be frozen once it has answered: it would not notice that the relay has
 * closed the connection meanwhile, and the next question would get no answer
 * @throws GatewayError if the wallet refuses, or does not answer in time
 */
export function createNwcClient(nwcUrl: string, { closesWhenIdle = false } = {}) {
  let connection: ReturnType<typeof connect> | null = null
  let askingCount = 0
  return async function askWallet<Answer>(
    ask: (wallet: NwcWallet) => Promise<Answer>,
  ): Promise<Answer | null> {
    connection ??= connect(nwcUrl)
    const { wallet, afterFailure, disconnect } = await connection
    askingCount += 1
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(new GatewayError('The Lightning wallet did not answer.')),
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
      askingCount -= 1
      if (closesWhenIdle && askingCount === 0) disconnect()
    }
  }
}

/**
 * The payment hash of an incoming payment; null for any other notification. The library does not check what it passes
 * on.
 */
export function receivedPaymentHash({
  notification_type: type,
  notification,
}: Nip47Notification): string | null {
  const paymentHash: unknown = type === 'payment_received' ? notification?.payment_hash : null
  return typeof paymentHash === 'string' ? paymentHash.toLowerCase() : null
}

function errorCode(error: unknown): string {
  return String(fieldsOf(error).code ?? 'unknown')
}
