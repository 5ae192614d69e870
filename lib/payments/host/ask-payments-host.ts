import 'server-only'
import { z } from 'zod'
import type { VerbWire } from '@/lib/ledger/domain/ledger-wire'
import { GatewayError } from '../domain/gateway'
import { fetchJson } from '../server/fetch-json'

export interface PaymentsHost {
  /** Such as `https://pay.example`. */
  baseUrl: string
  token: string
  timeoutMs?: number
}

/** Longer than the slowest gateway is given to make an invoice, so that the host's own refusal arrives. */
const TIMEOUT_MS = 25_000

/** The longest answer is one invoice, or three methods. */
const RESPONSE_BYTES_MAX = 64 * 1024

/**
 * Asks the host for one verb, once: pages ask again by themselves, and an invoice made twice would be one
 * too many. Its answer is believed only in the agreed shape.
 *
 * @throws GatewayError when it refuses, does not answer in time, or answers anything else
 */
export async function askPaymentsHost<Input, Output>(
  host: PaymentsHost,
  verb: { name: string; wire: VerbWire<Input, Output> },
  input: Input,
): Promise<Output> {
  const question = z.safeEncode(verb.wire.input, input)
  if (!question.success) throw new GatewayError(`The payments host cannot be asked this (${verb.name}).`)
  const { status, body } = await fetchJson({
    url: `${host.baseUrl}/api/payments-host/${verb.name}`,
    method: 'POST',
    headers: { authorization: `Bearer ${host.token}` },
    body: question.data,
    timeoutMs: host.timeoutMs ?? TIMEOUT_MS,
    responseBytesMax: RESPONSE_BYTES_MAX,
  })
  if (status !== 200) throw new GatewayError(`The payments host refused ${verb.name} with status ${status}.`)
  const answer = z.safeDecode(verb.wire.output, body as z.input<typeof verb.wire.output>)
  if (answer.success) return answer.data
  throw new GatewayError(`The payments host answered ${verb.name} in an unknown shape.`)
}
