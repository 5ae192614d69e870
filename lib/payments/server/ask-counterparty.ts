import 'server-only'
import { fetchJson, type JsonAnswer, type JsonRequest } from '@/lib/http/fetch-json'
import { GatewayError } from '../domain/gateway'

/** An invoice with many payments stays far below this. */
const RESPONSE_BYTES_MAX = 1024 * 1024

/**
 * Sends a request to a gateway, or to a source of rates. The error contains neither address nor body, which may contain
 * secrets.
 * @throws GatewayError if there is no answer in time, or it is not JSON
 */
export async function askCounterparty(
  request: Omit<JsonRequest, 'responseBytesMax'> & { responseBytesMax?: number },
): Promise<JsonAnswer> {
  try {
    return await fetchJson({ responseBytesMax: RESPONSE_BYTES_MAX, ...request })
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown'
    throw new GatewayError(`A gateway or rate source gave no usable answer (${reason}).`)
  }
}
