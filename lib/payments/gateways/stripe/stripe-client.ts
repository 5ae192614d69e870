import 'server-only'
import { Stripe } from 'stripe'
import type { z } from 'zod'
import { isObject } from '@/lib/http/domain/is-object'
import { tryParseJson } from '@/lib/http/domain/try-parse-json'
import { readBoundedText } from '@/lib/http/fetch-json'
import { GatewayError } from '../../domain/gateway'
import { readAnswer } from '../../server/read-answer'

/** Stripe answers within a second; a page is waiting. */
const TIMEOUT_MS = 15_000
/** A page of a hundred refunds, each with all the metadata that Stripe allows, is three megabytes. */
const RESPONSE_BYTES_MAX = 4 * 1024 * 1024
/** Safe, because every call that writes has an idempotency key. */
const NETWORK_RETRY_COUNT = 1

export interface StripeSettings {
  secretKey: string
  webhookSecret: string
  /** An address other than Stripe's, for a stand-in. */
  apiBase?: string | null
}

export function createStripeClient({ secretKey, apiBase }: StripeSettings): Stripe {
  const base = apiBase ? new URL(apiBase) : null
  return new Stripe(secretKey, {
    timeout: TIMEOUT_MS,
    maxNetworkRetries: NETWORK_RETRY_COUNT,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient(fetchObject),
    ...(base && {
      host: base.hostname,
      port: base.port || (base.protocol === 'http:' ? '80' : '443'),
      protocol: base.protocol === 'http:' ? 'http' : 'https',
    }),
  })
}

/**
 * Stripe's client throws where nobody can catch it, which ends the process, and never answers, if it reads JSON that is
 * no object. It takes an empty answer for a failure.
 */
async function fetchObject(...asked: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(asked[0], { ...asked[1], redirect: 'manual', cache: 'no-store' })
  const text = await readBoundedText(response, RESPONSE_BYTES_MAX)
  const { status, headers } = response
  return new Response(isObject(tryParseJson(text)) ? text : '', { status, headers })
}

/**
 * Runs a call, and reads its answer, which may be a proxy's: Stripe's client checks no more than that it is an object,
 * and takes a failure without Stripe's own error for an answer, too.
 *
 * @returns null if Stripe knows no such object
 * @throws GatewayError without Stripe's own message
 */
export async function askStripe<Schema extends z.ZodType>(
  schema: Schema,
  call: () => Promise<unknown>,
): Promise<z.output<Schema> | null> {
  let answer: unknown
  try {
    answer = await call()
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError))
      throw new GatewayError("Stripe's answer could not be read by its client.")
    if (error.code === 'resource_missing') return null
    throw new GatewayError(
      `Stripe gave no usable answer (${error.type}, status ${error.statusCode ?? 'none'}).`,
    )
  }
  return readAnswer(schema, answer, 'Stripe')
}
