import 'server-only'
import { fetchJson, type JsonAnswer, type JsonRequest } from '@/lib/http/fetch-json'
import { GatewayError } from '../domain/gateway'

/** An invoice with many payments stays far below; more is not what was asked for. */
const RESPONSE_BYTES_MAX = 1024 * 1024

/**
 * Asks a gateway, or a source of rates. The error says neither address nor body, which may hold secrets.
 * @throws GatewayError when there is no answer in time, or none in JSON
 */
export async function askCounterparty(
  request: Omit<JsonRequest, 'responseBytesMax'> & { responseBytesMax?: number },
): Promise<JsonAnswer> {
  try {
    return await fetchJson({ responseBytesMax: RESPONSE_BYTES_MAX, ...request })
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown'
    throw new GatewayError(`A counterparty gave no usable answer (${reason}).`)
  }
}
