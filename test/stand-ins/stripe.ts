import { createHmac } from 'node:crypto'
import { type JsonAnswer, type JsonServerRequest, startJsonServer } from './json-server'
import {
  newSession,
  readForm,
  type StripeCharge,
  type StripeDispute,
  type StripePaymentIntent,
  type StripeRefund,
  type StripeSession,
  stripeId,
} from './stripe-objects'

export interface StripeStandInOptions {
  secretKey?: string
  webhookSecret?: string
  /** Stripe's clock, in Unix seconds. */
  now?: () => number
  port?: number
}

/** Stripe's API as far as Checkout for one payment needs it, and its signed events. Tests make the payments. */
export async function startStripeStandIn(options: StripeStandInOptions = {}) {
  const secretKey = options.secretKey ?? 'sk_test_standin'
  const webhookSecret = options.webhookSecret ?? 'whsec_standin'
  const nowSeconds = options.now ?? (() => Math.floor(Date.now() / 1000))
  const sessions = new Map<string, StripeSession>()
  const intents = new Map<string, StripePaymentIntent>()
  const charges = new Map<string, StripeCharge>()
  const refunds = new Map<string, StripeRefund>()
  const disputes = new Map<string, StripeDispute>()
  const answersByIdempotencyKey = new Map<string, JsonAnswer>()
  const requests: { path: string; text: string }[] = []

  const server = await startJsonServer({
    port: options.port,
    answer: request => {
      requests.push({ path: request.path, text: request.text })
      if (request.headers.authorization !== `Bearer ${secretKey}`)
        return failure(401, 'invalid_request_error', null, 'Invalid API Key provided')
      if (request.path === '/v1/checkout/sessions' && request.method === 'POST') return create(request)
      if (request.method !== 'GET')
        return failure(404, 'invalid_request_error', null, 'Unrecognized request URL')
      if (request.path === '/v1/checkout/sessions')
        return list(sessionsOf(request.query.get('payment_intent')))
      if (request.path === '/v1/disputes') return list(disputesOf(request.query.get('charge')))
      if (request.path === '/v1/refunds') {
        const { limit = '10', starting_after: lastId } = Object.fromEntries(request.query)
        return list(behind(refundsOf(request.query.get('charge')), lastId), Number(limit))
      }
      const id = /^\/v1\/checkout\/sessions\/([^/]+)$/.exec(request.path)?.[1]
      const session = sessions.get(id ?? '')
      if (!session)
        return failure(404, 'invalid_request_error', 'resource_missing', 'No such checkout.session')
      return { status: 200, body: expand(session, request.query) }
    },
  })

  function create(request: JsonServerRequest): JsonAnswer {
    const key = String(request.headers['idempotency-key'] ?? '')
    const replay = answersByIdempotencyKey.get(key)
    if (replay) return replay
    const form = readForm(request.text)
    if (form.get('mode') !== 'payment' || !form.get('line_items[0][price_data][unit_amount]'))
      return failure(400, 'invalid_request_error', 'parameter_missing', 'Missing required param: line_items.')
    const session = newSession(form, server.url, nowSeconds())
    sessions.set(session.id, session)
    const answer = { status: 200, body: session }
    if (key !== '') answersByIdempotencyKey.set(key, answer)
    return answer
  }

  function expand(session: StripeSession, query: URLSearchParams): unknown {
    const wanted = [...query].filter(([name]) => name.startsWith('expand')).map(([, value]) => value)
    const intent = intents.get(session.payment_intent ?? '')
    if (!intent || !wanted.some(path => path.startsWith('payment_intent'))) return session
    const charge = charges.get(intent.latest_charge ?? '')
    const isDeep = wanted.some(path => path.startsWith('payment_intent.latest_charge'))
    if (!charge || !isDeep) return { ...session, payment_intent: intent }
    const isDeepest = wanted.includes('payment_intent.latest_charge.refunds')
    const latest = isDeepest ? { ...charge, refunds: list(refundsOf(charge.id), 10).body } : charge
    return { ...session, payment_intent: { ...intent, latest_charge: latest } }
  }

  const sessionsOf = (intentId: string | null) =>
    [...sessions.values()].filter(({ payment_intent }) => intentId !== null && payment_intent === intentId)
  const disputesOf = (chargeId: string | null) =>
    [...disputes.values()].filter(({ charge }) => charge === chargeId)

  /** Latest first, as in Stripe's lists. */
  const refundsOf = (chargeId: string | null) =>
    [...refunds.values()].filter(({ charge }) => charge === chargeId).reverse()

  /** The payer submits; `processing` is for a bank debit that is confirmed later. */
  function complete(sessionId: string, outcome: 'paid' | 'processing' = 'paid'): void {
    const session = sessionById(sessionId)
    const intent: StripePaymentIntent = {
      id: stripeId('pi'),
      object: 'payment_intent',
      amount: session.amount_total,
      currency: session.currency,
      latest_charge: null,
      metadata: session.metadata,
      status: 'processing',
    }
    intents.set(intent.id, intent)
    Object.assign(session, { status: 'complete', payment_intent: intent.id, url: null })
    if (outcome === 'paid') succeed(sessionId)
  }

  function succeed(sessionId: string): void {
    const session = sessionById(sessionId)
    const intent = intents.get(session.payment_intent ?? '')
    if (!intent) throw new Error('The session is not complete.')
    const charge: StripeCharge = {
      id: stripeId('ch'),
      object: 'charge',
      amount: session.amount_total,
      amount_refunded: 0,
      currency: session.currency,
      disputed: false,
      metadata: intent.metadata,
      paid: true,
      payment_intent: intent.id,
      refunded: false,
      status: 'succeeded',
    }
    charges.set(charge.id, charge)
    Object.assign(intent, { status: 'succeeded', latest_charge: charge.id })
    session.payment_status = 'paid'
  }

  function fail(sessionId: string): void {
    const intent = intents.get(sessionById(sessionId).payment_intent ?? '')
    if (intent) intent.status = 'requires_payment_method'
  }

  /** Adds to earlier refunds; the charge contains the total. */
  function refund(sessionId: string, cents: number): StripeCharge {
    const charge = chargeOf(sessionId)
    const { id, currency, payment_intent } = charge
    const made: StripeRefund = {
      id: stripeId('re'),
      object: 'refund',
      amount: cents,
      charge: id,
      currency,
      payment_intent,
      status: 'succeeded',
    }
    refunds.set(made.id, made)
    charge.amount_refunded += cents
    charge.refunded = charge.amount_refunded === charge.amount
    return charge
  }

  /** The payer's bank rejects the latest refund, and the operator has the money again, days later. */
  function failRefund(sessionId: string): StripeRefund {
    const charge = chargeOf(sessionId)
    const failed = refundsOf(charge.id).find(({ status }) => status === 'succeeded')
    if (!failed) throw new Error(`Nothing was refunded of ${sessionId}.`)
    failed.status = 'failed'
    charge.amount_refunded -= failed.amount
    charge.refunded = false
    return failed
  }

  function dispute(sessionId: string, cents: number): StripeDispute {
    const charge = chargeOf(sessionId)
    charge.disputed = true
    const opened: StripeDispute = {
      id: stripeId('du'),
      object: 'dispute',
      amount: cents,
      charge: charge.id,
      currency: charge.currency,
      payment_intent: charge.payment_intent,
      reason: 'fraudulent',
      status: 'needs_response',
    }
    disputes.set(opened.id, opened)
    return opened
  }

  function sessionById(sessionId: string): StripeSession {
    const session = sessions.get(sessionId)
    if (!session) throw new Error(`The stand-in has no session ${sessionId}.`)
    return session
  }

  function chargeOf(sessionId: string): StripeCharge {
    const intent = intents.get(sessionById(sessionId).payment_intent ?? '')
    const charge = charges.get(intent?.latest_charge ?? '')
    if (!charge) throw new Error(`Nothing was charged for ${sessionId}.`)
    return charge
  }

  /** A delivery as Stripe signs it: `t=<seconds>,v1=<HMAC of "t.body">`. */
  function webhook(type: string, object: object, signed: { secret?: string; at?: number } = {}) {
    const timestamp = signed.at ?? nowSeconds()
    const event = {
      id: stripeId('evt'),
      object: 'event',
      type,
      created: timestamp,
      livemode: false,
      data: { object },
    }
    const rawBody = JSON.stringify(event, null, 2)
    const signature = createHmac('sha256', signed.secret ?? webhookSecret)
      .update(`${timestamp}.${rawBody}`)
      .digest('hex')
    return { rawBody, headers: { 'stripe-signature': `t=${timestamp},v1=${signature}` } }
  }

  return {
    url: server.url,
    settings: { secretKey, webhookSecret, apiBase: server.url },
    requests,
    session: sessionById,
    sessionIds: () => [...sessions.keys()],
    complete,
    succeed,
    fail,
    expire: (sessionId: string) => {
      sessionById(sessionId).status = 'expired'
    },
    charge: chargeOf,
    disputesOf: (sessionId: string) => disputesOf(chargeOf(sessionId).id),
    refund,
    failRefund,
    /** The total of refunds, and the part of it that failed. */
    refunded: (sessionId: string) => {
      const made = refundsOf(chargeOf(sessionId).id)
      const failed = made.filter(({ status }) => status === 'failed')
      return { cents: sumOf(made), failedCents: sumOf(failed) }
    },
    dispute,
    webhook,
    stop: server.stop,
  }
}

function sumOf(refunds: readonly StripeRefund[]): number {
  return refunds.reduce((sum, { amount }) => sum + amount, 0)
}

/** The next page of a list: what follows the last object of the page before. */
function behind(all: StripeRefund[], lastId: string | undefined): StripeRefund[] {
  return lastId === undefined ? all : all.slice(all.findIndex(({ id }) => id === lastId) + 1)
}

function list(all: object[], limit = 100): JsonAnswer {
  const data = all.slice(0, limit)
  return { status: 200, body: { object: 'list', data, has_more: data.length < all.length, url: '/v1/list' } }
}

function failure(status: number, type: string, code: string | null, message: string): JsonAnswer {
  return { status, body: { error: { type, ...(code ? { code } : {}), message } } }
}
