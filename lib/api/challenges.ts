import 'server-only'
import { z } from 'zod'
import type { Services } from '@/lib/composition'
import { requireWayToHold } from '@/lib/exchange/engine/begin'
import type { Kind } from '@/lib/exchange/engine/kind'
import { querySourceOf, readMaxChargeNano } from '@/lib/exchange/engine/request-headers'
import { UNPAID_BODY_BYTES_MAX } from '@/lib/http/admit-body'
import { ApiError } from '@/lib/http/api-error'
import { requireCredential } from '@/lib/http/credential'
import { parseJson, readBody } from '@/lib/http/read-body'
import { siteUrlFor } from '@/lib/http/request-origin'
import { formatUsd, maxNano, minNano, type Nano, nanoToUsdNumber, parseNano } from '@/lib/money/nano'
import { log } from '@/lib/observability/log'
import { MILLISATOSHIS_PER_SATOSHI, readBolt11 } from '@/lib/payments/domain/bolt11'
import { toSatoshisDown, toSatoshisUp } from '@/lib/payments/domain/convert-amount'
import type { Invoice } from '@/lib/payments/domain/invoice'
import type { MethodOffer } from '@/lib/payments/domain/payments'
import { newTokenId, tokenIdHash, writeToken } from '@/lib/payments/server/l402-token'
import { unixSecondsOf } from './contracts/values'
import { paymentChallenge } from './payment-scheme'
import type { VerifiedToken } from './tokens'

/** How long an account that was opened for a challenge is kept after its invoice expires, for a late payment. */
const LATE_PAYMENT_SECONDS = 3600

/** Lightning, if it is offered in satoshis and a rate is known. */
type LightningOffer = MethodOffer & { usdPerBitcoin: NonNullable<MethodOffer['usdPerBitcoin']> }

/**
 * Answers a paid call without a credential by a challenge: an invoice over the most that the call can cost, which a
 * program can pay, and a token to come back with. If that is not possible, and for this site's own pages, the answer is
 * the same as on any other route: the credential is missing.
 *
 * @throws ApiError always
 */
export async function challengeStranger(request: Request, services: Services, kind: Kind): Promise<never> {
  const { headers } = request
  const isOwnPage = querySourceOf(headers) === 'web' || headers.has('x-resume-key')
  if (isOwnPage || isLightningMissing(services)) return withoutCredential(headers)
  await services.rateLimits.take('payment_challenge', headers)
  const offer = await findLightning(services)
  if (!offer) return withoutCredential(headers)
  const body = await readUnpaidBody(request, services)
  const boundNano = await boundOf(kind, headers, body)
  // There is no invoice for a free call, which is limited per account, nor for one above the largest payment.
  const satoshis = satoshisFor(boundNano, offer)
  const asked = satoshis && (await challenge(request, services, { boundNano, satoshis, offer, holder: null }))
  if (!asked) return withoutCredential(headers)
  throw asked
}

/**
 * Turns the refusal of a call that a token can no longer pay for into a challenge over the missing amount: once that is
 * paid, the old token and the new one hold the same credit. Any other error is returned unchanged.
 */
export async function challengeHolder(
  request: Request,
  services: Services,
  input: { error: unknown; holder: VerifiedToken; kind: Kind; body: Uint8Array | null },
): Promise<unknown> {
  const { error, holder, kind, body } = input
  if (!(error instanceof ApiError)) return error
  if (holder.isPaymentScheme && error.code === 'idempotency_conflict') return challengeUsed()
  if (error.code !== 'insufficient_credit') return error
  await services.rateLimits.take('payment_challenge', request.headers)
  const { credential } = holder
  const availableNano = (await services.ledger.getBalance({ credential }))?.availableNano ?? 0n
  const required = parseNano(String(error.details.required_usd)) ?? 0n
  const boundNano = body ? await boundOf(kind, request.headers, body) : required
  const offer = await findLightning(services)
  const missingNano = boundNano - availableNano
  const satoshis = offer && satoshisFor(missingNano, offer)
  if (!offer || !satoshis) return error
  return (await challenge(request, services, { boundNano: missingNano, satoshis, offer, holder })) ?? error
}

/** As much as may be sent with an empty balance. @throws ApiError request_too_large, which says how to send more */
async function readUnpaidBody(request: Request, { bodiesInFlight }: Services): Promise<Uint8Array> {
  try {
    return await readBody(request, UNPAID_BODY_BYTES_MAX, bodiesInFlight)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'request_too_large') throw error
    const sentence = `Without a credential, a request may have ${UNPAID_BODY_BYTES_MAX} bytes. To send more, pay for a shorter request or create an account first, and send the credential that you get.`
    throw new ApiError('request_too_large', sentence)
  }
}

/** For this long after Lightning was found missing, it is not looked for again. */
const MISSING_MS = 300_000
const foundMissingAtMs = new WeakMap<Services['payments'], number>()

function isLightningMissing({ payments }: Services): boolean {
  return performance.now() - (foundMissingAtMs.get(payments) ?? Number.NEGATIVE_INFINITY) < MISSING_MS
}

async function findLightning({ payments }: Services): Promise<LightningOffer | null> {
  const offers = await payments.listMethods()
  const offer = offers.find(({ id, currencies }) => id === 'btc-lightning' && currencies.includes('SATS'))
  if (!offer) foundMissingAtMs.set(payments, performance.now())
  return offer?.usdPerBitcoin ? { ...offer, usdPerBitcoin: offer.usdPerBitcoin } : null
}

/** What the call would hold. @throws ApiError as the call itself would */
async function boundOf(kind: Kind, headers: Headers, body: Uint8Array): Promise<Nano> {
  const quote = await kind.quote({
    body,
    json: () => parseJson(body, z.unknown()),
    contentType: headers.get('content-type'),
    keyRouting: null,
  })
  const maxChargeNano = readMaxChargeNano(headers)
  if (maxChargeNano === null) return quote.boundNano
  await requireWayToHold(quote, maxChargeNano)
  return minNano(maxChargeNano, quote.boundNano)
}

/** Whole satoshis, at least the gateway's minimum; null if nothing is due, or more than its maximum. */
function satoshisFor(
  boundNano: Nano,
  { usdPerBitcoin, minimumNano, maximumNano }: LightningOffer,
): bigint | null {
  if (boundNano <= 0n) return null
  const satoshis = toSatoshisUp(maxNano(boundNano, minimumNano), usdPerBitcoin)
  return satoshis <= toSatoshisDown(maximumNano, usdPerBitcoin) ? satoshis : null
}

/** Null if the gateway's invoice cannot be read, since paying it would then prove nothing. */
async function challenge(
  request: Request,
  services: Services,
  input: { boundNano: Nano; satoshis: bigint; offer: LightningOffer; holder: VerifiedToken | null },
): Promise<ApiError | null> {
  const { boundNano, satoshis, offer, holder } = input
  const tokenId = holder?.tokenId ?? newTokenId()
  const siteUrl = siteUrlFor(services.settings, request)
  const accountId = holder?.accountId ?? (await openAccount(services, tokenId, offer))
  const result = await services.payments.createInvoice({
    accountId,
    methodId: offer.id,
    amount: { coefficient: satoshis, scale: 0 },
    currency: 'SATS',
    siteUrl,
  })
  const invoice = result.outcome === 'created' ? result.invoice : null
  const bolt11 = readBolt11(invoice?.lightningInvoice ?? '')
  if (!invoice || bolt11?.millisatoshis !== satoshis * MILLISATOSHIS_PER_SATOSHI) {
    log.warn(`could not create or read an invoice for a request without an account (${result.outcome})`)
    return null
  }
  const token = writeToken({ tokenId, invoiceId: invoice.invoiceId, paymentHash: bolt11.paymentHash })
  return new ApiError('payment_required', sentence(boundNano, satoshis), {
    headers: { 'www-authenticate': challenges(invoice, token, new URL(siteUrl).host) },
    details: {
      required_usd: nanoToUsdNumber(boundNano),
      payment: {
        invoice_id: invoice.invoiceId,
        lightning_invoice: invoice.lightningInvoice,
        amount_sats: Number(satoshis),
        amount_usd: nanoToUsdNumber(invoice.amountNano),
        expires_at: unixSecondsOf(invoice.expiresAt),
      },
    },
  })
}

/** An account that only the token holds, and that is removed if nobody pays. */
async function openAccount({ ledger }: Services, tokenId: Buffer, offer: MethodOffer): Promise<string> {
  const { accountId } = await ledger.createAccount({
    creditIdHash: null,
    firstKey: { secretHash: tokenIdHash(tokenId), hint: 'L402' },
    attribution: null,
    removeUnpaidAfterSeconds: offer.expirySeconds + LATE_PAYMENT_SECONDS,
  })
  return accountId
}

function sentence(boundNano: Nano, satoshis: bigint): string {
  return `For this request, ${formatUsd(boundNano)} USD have to be paid first. Pay the Lightning invoice of ${satoshis} satoshis, then send the request again with "Authorization: L402 <token>:<preimage>"; what is not used stays on the token. Or send a credit_id or an API key as "Authorization: Bearer …".`
}

/** Both schemes sell the same invoice. Older clients of L402 look for `macaroon`, at this very place. */
function challenges(invoice: Invoice, token: string, realm: string): string {
  const l402 = `L402 macaroon="${token}", invoice="${invoice.lightningInvoice}", version="0", token="${token}"`
  const parameters = paymentChallenge({ invoice, token, realm })
  if (!parameters) return l402
  const payment = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`)
  return `${l402}, Payment ${payment.join(', ')}`
}

function challengeUsed(): ApiError {
  const sentence =
    'This payment challenge has already been used for another request. What is left of the payment is on its token: send "Authorization: L402 <token>:<preimage>".'
  return new ApiError('conflict', sentence)
}

function withoutCredential(headers: Headers): never {
  requireCredential(headers)
  throw new Error('This request has a credential.')
}
