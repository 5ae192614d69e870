import 'server-only'
import { z } from 'zod'
import type { VerbWire } from '@/lib/ledger/domain/ledger-wire'
import type { HostRequest, HostResponse } from '@/lib/ledger/server/serve-host'
import { GatewayError } from '../domain/gateway'
import type { Payments } from '../domain/payments'
import { PAYMENTS_WIRE, REFILL_WIRE } from '../domain/payments-wire'
import type { RefillLinks } from '../domain/refill-links'
import { isSameSecret } from './is-same-secret'

/** A question has a few ids, an amount and an address. */
export const PAYMENTS_HOST_REQUEST_BYTES_MAX = 16 * 1024

interface Kept {
  payments: Payments
  refillLinks: RefillLinks
}

/**
 * Answers another deployment whose payments are taken here (`POST /api/payments-host/<verb>`). The token is
 * compared before anything else is looked at; a failure says no more than whose it is.
 */
export async function servePaymentsHost(
  input: Kept & { token: string; request: HostRequest },
): Promise<HostResponse> {
  const { authorization, verb, body } = input.request
  const given = /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? ''
  if (!isSameSecret(given, input.token)) return refusal(401, 'unauthorized')
  const ask = verbs(input).get(verb)
  if (!ask) return refusal(404, 'unknown_verb')
  try {
    return await ask(body)
  } catch (error) {
    if (error instanceof GatewayError) return refusal(502, 'gateway_error')
    return isForeignKeyViolation(error) ? refusal(404, 'unknown_account') : refusal(503, 'unavailable')
  }
}

/** What is written down here belongs to an account; there is none of that id. */
function isForeignKeyViolation(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === '23503'
}

function refusal(status: number, code: string): HostResponse {
  return { status, body: { error: { code } } }
}

type Ask = (body: unknown) => Promise<HostResponse>

function verbs({ payments, refillLinks }: Kept): ReadonlyMap<string, Ask> {
  return new Map([
    ['listMethods', answer(PAYMENTS_WIRE.listMethods, () => payments.listMethods())],
    ['createInvoice', answer(PAYMENTS_WIRE.createInvoice, payments.createInvoice)],
    ['getInvoice', answer(PAYMENTS_WIRE.getInvoice, payments.getInvoice)],
    ['findInvoice', answer(PAYMENTS_WIRE.findInvoice, payments.findInvoice)],
    ['recheckInvoice', answer(PAYMENTS_WIRE.recheckInvoice, payments.recheckInvoice)],
    ['paySandboxInvoice', answer(PAYMENTS_WIRE.paySandboxInvoice, payments.paySandboxInvoice)],
    ['createRefillLink', answer(REFILL_WIRE.createRefillLink, refillLinks.create)],
    ['getRefillLink', answer(REFILL_WIRE.getRefillLink, refillLinks.get)],
    ['revokeRefillLink', answer(REFILL_WIRE.revokeRefillLink, refillLinks.revoke)],
    ['findRefillLink', answer(REFILL_WIRE.findRefillLink, refillLinks.find)],
  ])
}

function answer<Input, Output>(wire: VerbWire<Input, Output>, ask: (input: Input) => Promise<Output>): Ask {
  return async body => {
    const question = z.safeDecode(wire.input, body as z.input<typeof wire.input>)
    if (!question.success) return refusal(400, 'invalid_input')
    return { status: 200, body: z.encode(wire.output, await ask(question.data)) }
  }
}
