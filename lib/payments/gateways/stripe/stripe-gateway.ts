import 'server-only'
import type { Stripe } from 'stripe'
import { log } from '@/lib/observability/log'
import { type Gateway, GatewayError, type WebhookNotice } from '../../domain/gateway'
import { CARD_METHOD } from '../../domain/offered-methods'
import { dateOf } from '../../server/read-answer'
import { convertSessionRequest } from './convert-session-request'
import { mapSession } from './map-session'
import {
  idOf,
  type OfStripeCharge,
  type StripeCharge,
  type StripeDispute,
  type StripeRefund,
  type StripeSession,
  stripeDisputesSchema,
  stripeRefundsSchema,
  stripeSessionSchema,
  stripeSessionsSchema,
} from './stripe-api-types'
import { askStripe, createStripeClient, type StripeSettings } from './stripe-client'
import { mapEvent, verifyEvent } from './webhook'

/** A payment rarely has a second dispute, and never more than a page of them. */
const DISPUTE_COUNT_MAX = 10
/** The most that Stripe lists at once; a charge includes only its latest ten. */
const REFUNDS_PER_PAGE = 100
/** Five hundred refunds of one charge are more than anybody makes. */
const REFUND_PAGE_COUNT_MAX = 5
/** Secret and restricted keys of the test mode. */
const TEST_KEY = /^[sr]k_test_/
const MADE_UP_CARDS =
  'stripe: STRIPE_SECRET_KEY is a key of the test mode, so anybody can pay with a made-up card and spend the credit. Set a live key, and a new database, before the site opens.'

/** Card payments through Stripe's hosted Checkout. */
export function createStripeGateway(
  settings: StripeSettings & {
    /** Shown to the payer on the checkout page. */
    productName: string
    /** Used to judge the age of a delivery; see databaseClock. */
    now: () => Promise<Date>
  },
): Gateway {
  if (TEST_KEY.test(settings.secretKey) && !settings.apiBase) log.warn(MADE_UP_CARDS)
  const stripe = createStripeClient(settings)
  return {
    id: 'stripe',
    methods: [CARD_METHOD],
    getUsdPerBitcoin: async () => null,
    async createInvoice(request) {
      const session = await askStripe(stripeSessionSchema, () =>
        stripe.checkout.sessions.create(convertSessionRequest(request, settings.productName), {
          idempotencyKey: `create:${request.invoiceId}`,
        }),
      )
      if (!session?.url) throw new GatewayError('Stripe did not create a checkout session that can be paid.')
      if ((session.client_reference_id ?? request.invoiceId) !== request.invoiceId)
        throw new GatewayError('Stripe returned the session of another invoice than was to be created.')
      return {
        gatewayInvoiceId: session.id,
        checkoutUrl: session.url,
        lightningInvoice: null,
        bitcoinAddress: null,
        bitcoinDue: null,
        expiresAt: dateOf(session.expires_at),
      }
    },
    async fetchInvoice({ gatewayInvoiceId, amountNano }) {
      const session = await askStripe(stripeSessionSchema, () =>
        stripe.checkout.sessions.retrieve(gatewayInvoiceId, {
          expand: ['payment_intent.latest_charge.refunds'],
        }),
      )
      if (!session) return null
      if (session.id !== gatewayInvoiceId)
        throw new GatewayError('Stripe returned another session than requested.')
      const charge = chargeOf(session)
      const disputes = charge?.disputed ? await listDisputes(stripe, charge) : []
      const refunds = charge ? await listRefunds(stripe, charge) : []
      return mapSession({ session, charge, refunds, disputes, amountNano })
    },
    async verifyWebhook({ rawBody, headers }) {
      const event = verifyEvent({
        stripe,
        rawBody,
        signature: headers.get('stripe-signature'),
        secret: settings.webhookSecret,
        now: await settings.now(),
      })
      return event === null ? null : noticeOf(stripe, event)
    },
  }
}

async function noticeOf(stripe: Stripe, event: unknown): Promise<WebhookNotice> {
  const { sessionId, paymentIntentId, totals } = mapEvent(event)
  return { gatewayInvoiceId: sessionId ?? (await findSessionId(stripe, paymentIntentId)), totals }
}

async function findSessionId(stripe: Stripe, paymentIntentId: string | null): Promise<string | null> {
  if (paymentIntentId === null) return null
  const sessions = await askStripe(stripeSessionsSchema, () =>
    stripe.checkout.sessions.list({ payment_intent: paymentIntentId, limit: 1 }),
  )
  return sessions?.data.find(session => session.payment_intent === paymentIntentId)?.id ?? null
}

async function listDisputes(stripe: Stripe, charge: StripeCharge): Promise<StripeDispute[]> {
  const disputes = await askStripe(stripeDisputesSchema, () =>
    stripe.disputes.list({ charge: charge.id, limit: DISPUTE_COUNT_MAX }),
  )
  return ofCharge(charge, disputes?.data ?? [])
}

async function listRefunds(stripe: Stripe, charge: StripeCharge): Promise<StripeRefund[]> {
  const { id, refunds: known } = charge
  if (!known?.has_more) return ofCharge(charge, known?.data ?? [])
  const refunds: StripeRefund[] = []
  // Stripe's client would go on for as long as it is told that there is more.
  for (let pageCount = 0; pageCount < REFUND_PAGE_COUNT_MAX; pageCount += 1) {
    const startingAfter = refunds.at(-1)?.id
    const page = await askStripe(stripeRefundsSchema, () =>
      stripe.refunds.list({
        charge: id,
        limit: REFUNDS_PER_PAGE,
        ...(startingAfter && { starting_after: startingAfter }),
      }),
    )
    if (!page) return ofCharge(charge, known.data)
    refunds.push(...ofCharge(charge, page.data))
    if (!page.has_more) return refunds
  }
  throw new GatewayError('Stripe lists more refunds of a charge than anybody makes.')
}

/** @throws GatewayError if anything in a list of this charge is of another one, or of another payment */
function ofCharge<Listed extends OfStripeCharge>(charge: StripeCharge, list: Listed[]): Listed[] {
  const isOfAnother = (each: Listed) =>
    contradicts(idOf(each.charge), charge.id) ||
    contradicts(idOf(each.payment_intent), idOf(charge.payment_intent))
  if (!list.some(isOfAnother)) return list
  throw new GatewayError('Stripe returned the list of another charge than requested.')
}

function contradicts(told: string | null, known: string | null): boolean {
  return told !== null && known !== null && told !== known
}

function chargeOf(session: StripeSession): StripeCharge | null {
  const intent = session.payment_intent
  const charge = intent && typeof intent === 'object' ? intent.latest_charge : null
  return charge && typeof charge === 'object' ? charge : null
}
